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
      .optional(OptionValues.names, or: OptionValues.someNames, .peers, \.peers)
    )
    .of(tabulators.union([.trace, .report, .plot]))
    .meaning("only these peers, separated by commas, or all (default: \(defaultPeers))"),
    Option("--series LIST", .parsed(OptionValues.names, or: OptionValues.someNames, .any, \.series))
      .of(selectors)
      .meaning("only these series, separated by commas, such as same.low or wake/across, or all"),
    Option(
      "-s, --scenario LIST",
      .parsed(OptionValues.names, or: OptionValues.someNames, .scenarios, \.shownScenarios)
    )
    .of([.report, .plot])
    .meaning("only these scenarios, separated by commas (default: all)"),
  ]

  static let measuring: [Option] = [
    Option("-d, --duration TIME", .time(\.duration))
      .meaning("measure for at most TIME and 30 rounds (default: 20s, or up to 40s for 10 rounds)"),
    Option("-n, --samples N", .number(1...10_000_000, \.samples)).of(choosers)
      .meaning("take about N samples of each peer in each series (default: depends on the series)"),
    Option("--rounds N", .number(1...1000, \.rounds))
      .meaning("measure N rounds (default: as many as fit the duration, at most 30)"),
    Option("--seed N", .optional(OptionValues.seed, or: OptionValues.aSeed, .any, \.seed))
      .of(tracers)
      .meaning("repeat the order and the load of the run that printed this seed"),
    Option(
      "-w, --warmup TIME",
      .parsed(
        OptionValues.warmUp,
        or: "auto or \(OptionValues.aTime)",
        .oneOf(["auto"]),
        \.warmUp
      )
    )
    .meaning("warm up for TIME without recording, or auto: until medians settle (default: auto)"),
    Option("-r, --rate RATE", .parsed(OptionValues.rate, or: OptionValues.aRate, .any, \.rate))
      .of(choosers)
      .meaning("operations per second in open-loop series, such as 1000/s (default: 1000/s)"),
    Option("--arrival KIND", .oneOf(\.arrival)).of(choosers)
      .meaning("spacing of a schedule: const, or poisson for random arrivals (default: const)"),
    Option(
      "--placement CPUS",
      .parsed(
        OptionValues.placement,
        or: "auto, any, same, cross, or the producer's and the loop's CPU, such as 0,1",
        .oneOf(["auto", "any", "same", "cross"]),
        \.placement
      )
    )
    .of(tracers)
    .meaning(
      "CPUs of producer and loop: 0,1, same, cross (two), any (not pinned) or auto (default: auto)"
    ),
    Option(
      "--load LOAD",
      .parsed(
        { BackgroundLoad($0) },
        or: "none, cpu:N or mem:N with N from 1 to 64, or cmd:COMMAND",
        .oneOf(["none", "cpu:", "mem:", "cmd:"]),
        \.load
      )
    )
    .of(tracers)
    .meaning("background load: none, cpu:N, mem:N (processes) or cmd:COMMAND (default: none)"),
    Option("--for TIME", .time(\.traceNs)).of([.trace])
      .meaning("trace for about TIME, at least one round (default: 2s)"),
    Option("--no-aa", .flag { $0.usesTwin = false })
      .meaning("do not measure a peer twice for the noise floor"),
    Option("--timeout TIME", .time(\.timeout))
      .meaning("stop after TIME, write the results so far and exit 124 (default: none)"),
    Option("--dry-run", .on(\.isDryRun))
      .meaning("print the plan of the run and measure nothing"),
  ]
}
