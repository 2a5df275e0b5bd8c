import LoopbenchKit

extension Option {
  static let choosing: [Option] = [
    Option(
      "-p, --peers LIST",
      of: tracers.union([.report, .plot]),
      "only these peers, separated by commas; or all (default: lt, uv and floors)",
      .parsed(OptionValues.names, or: OptionValues.someNames, .peers) { $0.peers = $1 }
    ),
    Option(
      "--series LIST",
      of: choosers,
      "only these series, separated by commas, such as same.low or wake/across (default: all)",
      .parsed(OptionValues.names, or: OptionValues.someNames) { $0.series = $1 }
    ),
    Option(
      "-s, --scenario LIST",
      of: [.report, .plot],
      "only these scenarios, separated by commas (default: all)",
      .parsed(OptionValues.names, or: OptionValues.someNames, .scenarios) { $0.shownScenarios = $1 }
    ),
  ]

  static let measuring: [Option] = [
    Option(
      "-d, --duration TIME",
      of: measurers,
      "measure for about TIME in all, 10 to 30 rounds; with -n or --rounds at most (default: 20s)",
      .time(\.duration)
    ),
    Option(
      "-n, --samples N",
      of: choosers,
      "take about N samples of each peer in each series (default: each series its own)",
      .number(1...10_000_000, \.samples)
    ),
    Option(
      "--rounds N",
      of: measurers,
      "measure N rounds (default: as many as fit the duration, 10 to 30)",
      .number(1...1000, \.rounds)
    ),
    Option(
      "--order ORDER",
      of: measurers,
      "how a round is ordered: shuffle, abba (there and back) or block (default: shuffle)",
      .oneOf(\.order)
    ),
    Option(
      "--seed N",
      of: tracers,
      "repeat the order and the load of the run that printed this seed",
      .parsed(OptionValues.seed, or: "a whole number from 0 to \(OptionValues.largestSeed)") {
        $0.seed = $1
      }
    ),
    Option(
      "-w, --warmup TIME",
      of: measurers,
      "what is not recorded: TIME, or auto, until it settles (default: auto)",
      .parsed(OptionValues.warmUp, or: "auto or \(OptionValues.aTime)", .oneOf(["auto"])) {
        $0.warmUp = $1
      }
    ),
    Option(
      "-r, --rate RATE",
      of: choosers,
      "operations a second in open-loop series, such as 1000/s (default: 1000/s)",
      .parsed(OptionValues.rate, or: "a rate from 1/s to 1000000/s, such as 1000/s or 5k/s") {
        $0.rate = $1
      }
    ),
    Option(
      "--arrival KIND",
      of: choosers,
      "how a schedule is spaced: const, or poisson, at random (default: const)",
      .oneOf(\.arrival)
    ),
    Option(
      "--placement CPUS",
      of: tracers,
      "the CPUs of producer and loop: 0,1, same, cross (two), any (free) or auto (default)",
      .parsed(
        OptionValues.placement,
        or: "auto, any, same, cross, or the producer's and the loop's CPU, such as 0,1",
        .oneOf(["auto", "any", "same", "cross"])
      ) { $0.placement = $1 }
    ),
    Option(
      "--closed",
      of: choosers,
      "each send of an open-loop series waits for its answer: a throughput, no tail",
      .on(\.isClosed)
    ),
    Option(
      "--policy POLICY",
      of: tracers,
      "schedule the threads it starts as other, or fifo:N, real-time (default: other)",
      .parsed(
        OptionValues.policy,
        or: "other, or fifo:N with N from 1 to 99",
        .oneOf(["other", "fifo:"])
      ) { $0.priority = $1 }
    ),
    Option(
      "--slack TIME",
      of: tracers,
      "the timer slack of the generator's thread (default: 1ns)",
      .parsed(OptionValues.duration, or: OptionValues.aTime) { $0.slack = $1 }
    ),
    Option(
      "--load LOAD",
      of: tracers,
      "what runs beside it: none, cpu:N, mem:N (processes) or cmd:COMMAND (default: none)",
      .parsed(
        { BackgroundLoad($0) },
        or: "none, cpu:N or mem:N with N from 1 to 64, or cmd:COMMAND",
        .oneOf(["none", "cpu:", "mem:", "cmd:"])
      ) { $0.load = $1 }
    ),
    Option(
      "--for TIME",
      of: [.trace],
      "trace for about TIME, at least a round (default: 2s)",
      .time(\.traceNs)
    ),
    Option(
      "--no-aa",
      of: measurers,
      "do not measure the first peer twice, which gives the noise floor",
      .flag { $0.usesTwin = false }
    ),
    Option(
      "--timeout TIME",
      of: measurers,
      "stop after TIME and write what was measured; exit 124 (default: none)",
      .time(\.timeout)
    ),
    Option(
      "--dry-run",
      of: measurers,
      "show what would be measured, where and for how long; measure nothing",
      .on(\.isDryRun)
    ),
  ]
}
