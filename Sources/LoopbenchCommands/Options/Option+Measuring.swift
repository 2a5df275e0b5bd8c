import LoopbenchKit

extension Option {
  /// Stands for the names of the peers that a run measures by default.
  private static let defaultPeers = "PEERS"

  /// The summary in the help of a program with `registry`, whose examples name its own
  /// peers and series.
  func summary(in registry: Registry) -> String {
    let scenarios = registry.scenarios.filter(\.isStandard)
    let peers = scenarios.flatMap(registry.peers).filter(\.isStandard).map(\.name).uniqued()
    let text = summary.replacing(Self.defaultPeers, with: peers.joined(separator: ", "))
    let isOther = !registry.scenarios.contains { $0.name == "wake" }
    guard isOther, let first = registry.scenarios.first, let series = first.series.first?.name
    else { return text }
    return text.replacing("same.low or wake/across", with: "\(series) or \(first.name)/\(series)")
      .replacing("'wake.", with: "'\(first.name).")
  }

  static let choosing: [Option] = [
    Option(
      "-p, --peers LIST",
      of: tabulators.union([.trace, .report, .plot]),
      "only these peers, separated by commas, or all (default: \(defaultPeers))",
      .optional(OptionValues.names, or: OptionValues.someNames, .peers, \.peers)
    ),
    Option(
      "--series LIST",
      of: selectors,
      "only these series, separated by commas, such as same.low or wake/across, or all",
      .parsed(OptionValues.names, or: OptionValues.someNames, .any, \.series)
    ),
    Option(
      "-s, --scenario LIST",
      of: [.report, .plot],
      "only these scenarios, separated by commas (default: all)",
      .parsed(OptionValues.names, or: OptionValues.someNames, .scenarios, \.shownScenarios)
    ),
  ]

  static let measuring: [Option] = [
    Option(
      "-d, --duration TIME",
      "measure for at most TIME and 30 rounds (default: 20s, or up to 40s for 10 rounds)",
      .time(\.duration)
    ),
    Option(
      "-n, --samples N",
      of: choosers,
      "take about N samples of each peer in each series (default: depends on the series)",
      .number(1...10_000_000, \.samples)
    ),
    Option(
      "--rounds N",
      "measure N rounds (default: as many as fit the duration, at most 30)",
      .number(1...1000, \.rounds)
    ),
    Option(
      "--seed N",
      of: tracers,
      "repeat the order and the load of the run that printed this seed",
      .optional(OptionValues.seed, or: OptionValues.aSeed, .any, \.seed)
    ),
    Option(
      "-w, --warmup TIME",
      "warm up for TIME without recording, or auto: until medians settle (default: auto)",
      .parsed(
        OptionValues.warmUp,
        or: "auto or \(OptionValues.aTime)",
        .oneOf(["auto"]),
        \.warmUp
      )
    ),
    Option(
      "-r, --rate RATE",
      of: choosers,
      "operations per second in open-loop series, such as 1000/s (default: 1000/s)",
      .parsed(OptionValues.rate, or: OptionValues.aRate, .any, \.rate)
    ),
    Option(
      "--arrival KIND",
      of: choosers,
      "spacing of a schedule: const, or poisson for random arrivals (default: const)",
      .oneOf(\.arrival)
    ),
    Option(
      "--placement CPUS",
      of: tracers,
      "CPUs of producer and loop: 0,1, same, cross (two), any (not pinned) or auto (default: auto)",
      .parsed(
        OptionValues.placement,
        or: "auto, any, same, cross, or the producer's and the loop's CPU, such as 0,1",
        .oneOf(["auto", "any", "same", "cross"]),
        \.placement
      )
    ),
    Option(
      "--closed",
      of: selectors,
      "wait for each answer before the next send in open-loop series, to measure throughput",
      .on(\.isClosed)
    ),
    Option(
      "--policy POLICY",
      of: tracers,
      "scheduling policy of loopbench's threads: other, or fifo:N for real-time (default: other)",
      .parsed(
        OptionValues.policy,
        or: "other, or fifo:N with N from 1 to 99",
        .oneOf(["other", "fifo:"]),
        \.priority
      )
    ),
    Option(
      "--slack TIME",
      of: tracers,
      "timer slack of the generator's thread (default: 1ns)",
      .parsed(OptionValues.duration, or: OptionValues.aTime, .any, \.slack)
    ),
    Option(
      "--load LOAD",
      of: tracers,
      "background load: none, cpu:N, mem:N (processes) or cmd:COMMAND (default: none)",
      .parsed(
        { BackgroundLoad($0) },
        or: "none, cpu:N or mem:N with N from 1 to 64, or cmd:COMMAND",
        .oneOf(["none", "cpu:", "mem:", "cmd:"]),
        \.load
      )
    ),
    Option(
      "--for TIME",
      of: [.trace],
      "trace for about TIME, at least one round (default: 2s)",
      .time(\.traceNs)
    ),
    Option(
      "--no-aa",
      "do not measure a peer twice for the noise floor",
      .flag { $0.usesTwin = false }
    ),
    Option(
      "--timeout TIME",
      "stop after TIME, write the results so far and exit 124 (default: none)",
      .time(\.timeout)
    ),
    Option(
      "--dry-run",
      "print the plan of the run and measure nothing",
      .on(\.isDryRun)
    ),
  ]
}
