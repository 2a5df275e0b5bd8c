import LoopbenchKit

extension Option {
  static let measuring: [Option] = [
    Option(
      "--duration",
      short: "-d",
      in: .measuring,
      of: measurers,
      "measure for about TIME in all, 10 to 30 rounds; with -n or --rounds at most (default: 20s)",
      .time(\.duration)
    ),
    Option(
      "--samples",
      short: "-n",
      in: .measuring,
      of: choosers,
      "take about N samples of each peer in each series (default: each series its own)",
      .number(1...10_000_000, \.samples)
    ),
    Option(
      "--rounds",
      in: .measuring,
      of: measurers,
      "measure N rounds (default: as many as fit the duration, 10 to 30)",
      .number(1...1000, \.rounds)
    ),
    Option(
      "--order",
      in: .measuring,
      of: measurers,
      "how a round is ordered: shuffle, abba (there and back) or block (default: shuffle)",
      .oneOf("ORDER", \.order)
    ),
    Option(
      "--seed",
      in: .measuring,
      of: tracers,
      "repeat the order and the load of the run that printed this seed",
      .value(placeholder: "N", words: .anything) { options, value in
        // Above 2^53 a reader of the JSON could not tell two seeds apart.
        guard let seed = UInt64(value), seed <= 1 << 53 else {
          return "a whole number from 0 to 9007199254740992"
        }
        options.seed = seed
        return nil
      }
    ),
    Option(
      "--warmup",
      short: "-w",
      in: .measuring,
      of: measurers,
      "what is not recorded: TIME, or auto, until it settles (default: auto)",
      .value(placeholder: "TIME", words: .oneOf(["auto"])) { options, value in
        if value == "auto" {
          options.warmUp = .auto
        } else if let time = Values.duration(value) {
          options.warmUp = .duration(nanoseconds: time)
        } else {
          return "auto or \(timeExpected)"
        }
        return nil
      }
    ),
  ]
}

extension Option {
  static let load: [Option] = [
    Option(
      "--rate",
      short: "-r",
      in: .measuring,
      of: choosers,
      "operations a second in open-loop series, such as 1000/s (default: 1000/s)",
      .parsed("RATE", Values.rate, or: "a rate from 1/s to 1000000/s, such as 1000/s or 5k/s") {
        $0.rate = $1
      }
    ),
    Option(
      "--arrival",
      in: .measuring,
      of: choosers,
      "how a schedule is spaced: const, or poisson, at random (default: const)",
      .oneOf("KIND", \.arrival)
    ),
    Option(
      "--placement",
      in: .measuring,
      of: tracers,
      "the CPUs of producer and loop: 0,1, same, cross (two), any (free) or auto (default)",
      .parsed(
        "CPUS",
        words: .oneOf(["auto", "any", "same", "cross"]),
        Values.placement,
        or: "auto, any, same, cross, or the producer's and the loop's CPU, such as 0,1"
      ) {
        $0.placement = $1
      }
    ),
    Option(
      "--closed",
      in: .measuring,
      of: choosers,
      "each send of an open-loop series waits for its answer: a throughput, no tail",
      .on(\.isClosed)
    ),
    Option(
      "--policy",
      in: .measuring,
      of: tracers,
      "schedule the threads it starts as other, or fifo:N, real-time (default: other)",
      .parsed(
        "POLICY",
        words: .oneOf(["other", "fifo:"]),
        Values.policy,
        or: "other, or fifo:N with N from 1 to 99"
      ) {
        $0.priority = $1
      }
    ),
    Option(
      "--slack",
      in: .measuring,
      of: tracers,
      "the timer slack of the generator's thread (default: 1ns)",
      .parsed("TIME", Values.duration, or: timeExpected) {
        $0.slack = $1
      }
    ),
    Option(
      "--load",
      in: .measuring,
      of: tracers,
      "what runs beside it: none, cpu:N, mem:N (processes) or cmd:COMMAND (default: none)",
      .parsed(
        "LOAD",
        words: .oneOf(["none", "cpu:", "mem:", "cmd:"]),
        { BackgroundLoad($0) },
        or: "none, cpu:N or mem:N with N from 1 to 64, or cmd:COMMAND"
      ) {
        $0.load = $1
      }
    ),
    Option(
      "--for",
      in: .measuring,
      of: [.trace],
      "trace for about TIME, at least a round (default: 2s)",
      .time(\.traceNs)
    ),
    Option(
      "--no-aa",
      in: .measuring,
      of: measurers,
      "do not measure the first peer twice, which gives the noise floor",
      .flag { $0.usesTwin = false }
    ),
    Option(
      "--timeout",
      in: .measuring,
      of: measurers,
      "stop after TIME and write what was measured; exit 124 (default: none)",
      .time(\.timeout)
    ),
    Option(
      "--dry-run",
      in: .measuring,
      of: measurers,
      "show what would be measured, where and for how long; measure nothing",
      .on(\.isDryRun)
    ),
  ]
}
