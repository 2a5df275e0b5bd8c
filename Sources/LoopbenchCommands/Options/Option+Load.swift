import LoopbenchKit

extension Option {
  static let load: [Option] = [
    Option(
      "--rate",
      short: "-r",
      in: .measuring,
      of: choosers,
      "operations a second in open-loop series, such as 1000/s (default: 1000/s)",
      .value(placeholder: "RATE", words: .anything) { options, value in
        guard let rate = Values.rate(value) else {
          return "a rate from 1/s to 1000000/s, such as 1000/s or 5k/s"
        }
        options.rate = rate
        return nil
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
      .value(placeholder: "CPUS", words: .oneOf(["auto", "any", "same", "cross"])) {
        options,
        value in
        guard let placement = Values.placement(value) else {
          return "auto, any, same, cross, or the producer's and the loop's CPU, such as 0,1"
        }
        options.placement = placement
        return nil
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
      .value(placeholder: "POLICY", words: .oneOf(["other", "fifo:"])) { options, value in
        guard let priority = Values.policy(value) else {
          return "other, or fifo:N with N from 1 to 99"
        }
        options.priority = priority
        return nil
      }
    ),
    Option(
      "--slack",
      in: .measuring,
      of: tracers,
      "the timer slack of the generator's thread (default: 1ns)",
      .value(placeholder: "TIME", words: .anything) { options, value in
        guard let slack = Values.duration(value) else { return timeExpected }
        options.slack = slack
        return nil
      }
    ),
    Option(
      "--load",
      in: .measuring,
      of: tracers,
      "what runs beside it: none, cpu:N, mem:N (processes) or cmd:COMMAND (default: none)",
      .value(placeholder: "LOAD", words: .oneOf(["none", "cpu:", "mem:", "cmd:"])) {
        options,
        value in
        guard let load = BackgroundLoad(value) else {
          return "none, cpu:N or mem:N with N from 1 to 64, or cmd:COMMAND"
        }
        options.load = load
        return nil
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
