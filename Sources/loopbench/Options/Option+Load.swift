import LoopbenchKit

extension Option {
  static let load: [Option] = [
    Option(
      "--rate",
      short: "-r",
      in: .measuring,
      of: measurers,
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
      of: measurers,
      "how a schedule is spaced: const, or poisson, at random (default: const)",
      .oneOf("KIND", \.arrival)
    ),
    Option(
      "--placement",
      in: .measuring,
      of: measurers,
      "the CPUs of producer and loop, such as 0,1; any leaves them free (default: auto)",
      .value(placeholder: "CPUS", words: .oneOf(["auto", "any"])) { options, value in
        guard let placement = Values.placement(value) else {
          return "auto, any, or the producer's and the loop's CPU, such as 0,1"
        }
        options.placement = placement
        return nil
      }
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
