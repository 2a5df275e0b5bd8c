import LoopbenchKit

extension Option {
  /// Every option. The parser, the help of each command, the manual page, the
  /// completions, the configuration file and the suggestions are made from it.
  package static let table: [Option] =
    choosing + measuring + load + comparing + writing + showing + plotting + general

  static let measurers: Set<Command.Name> = [.run, .check, .replay]
  static let tracers = measurers.union([.trace])
  /// A recorded load has its own number and times.
  static let choosers: Set<Command.Name> = [.run, .check, .trace]
  static let readers: Set<Command.Name> = [.report, .compare, .plot]

  static let choosing: [Option] = [
    Option(
      "--peers",
      short: "-p",
      in: .choosing,
      of: tracers.union([.report, .plot]),
      "only these peers, separated by commas; or all (default: lt, uv and floors)",
      .value(placeholder: "LIST", words: .peers) { options, value in
        guard let names = Values.names(value) else { return "names separated by commas" }
        options.peers = names
        return nil
      }
    ),
    Option(
      "--series",
      in: .choosing,
      of: choosers,
      "only these series, separated by commas, such as same.low or wake/across (default: all)",
      .value(placeholder: "LIST", words: .anything) { options, value in
        guard let names = Values.names(value) else { return "names separated by commas" }
        options.series = names
        return nil
      }
    ),
    Option(
      "--scenario",
      short: "-s",
      in: .choosing,
      of: [.report, .plot],
      "only these scenarios, separated by commas (default: all)",
      .value(placeholder: "LIST", words: .scenarios) { options, value in
        guard let names = Values.names(value) else { return "names separated by commas" }
        options.shownScenarios = names
        return nil
      }
    ),
  ]
}

extension Option.Action {
  /// One of the cases of an enumeration, by name: any of them, or of `among`.
  static func oneOf<Value: RawRepresentable & CaseIterable & Sendable>(
    _ placeholder: String,
    _ path: WritableKeyPath<Options, Value> & Sendable,
    among values: [Value] = Array(Value.allCases)
  ) -> Option.Action where Value.RawValue == String {
    let words = values.map(\.rawValue)
    return .value(placeholder: placeholder, words: .oneOf(words)) { options, text in
      guard words.contains(text), let value = Value(rawValue: text) else {
        return Values.list(words)
      }
      options[keyPath: path] = value
      return nil
    }
  }

  /// A time with its unit, in ns.
  static func time(
    _ path: WritableKeyPath<Options, UInt64?> & Sendable
  ) -> Option.Action {
    .value(placeholder: "TIME", words: .anything) { options, text in
      guard let time = Values.duration(text) else { return Option.timeExpected }
      options[keyPath: path] = time
      return nil
    }
  }

  /// A whole number.
  static func number(
    _ range: ClosedRange<Int>,
    _ path: WritableKeyPath<Options, Int?> & Sendable
  ) -> Option.Action {
    .value(placeholder: "N", words: .anything) { options, text in
      guard let number = Values.number(text, in: range) else {
        return "a whole number from \(range.lowerBound) to \(range.upperBound)"
      }
      options[keyPath: path] = number
      return nil
    }
  }

  /// Sets what is otherwise not.
  static func on(_ path: WritableKeyPath<Options, Bool> & Sendable) -> Option.Action {
    .flag { $0[keyPath: path] = true }
  }
}

extension Option {
  static let timeExpected = "a time with its unit, such as 3s, 250ms or 25us"
}
