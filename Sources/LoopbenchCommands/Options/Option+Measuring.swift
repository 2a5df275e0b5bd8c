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
