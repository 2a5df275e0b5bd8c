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
      .parsed("LIST", words: .peers, Values.names, or: "names separated by commas") {
        $0.peers = $1
      }
    ),
    Option(
      "--series",
      in: .choosing,
      of: choosers,
      "only these series, separated by commas, such as same.low or wake/across (default: all)",
      .parsed("LIST", Values.names, or: "names separated by commas") {
        $0.series = $1
      }
    ),
    Option(
      "--scenario",
      short: "-s",
      in: .choosing,
      of: [.report, .plot],
      "only these scenarios, separated by commas (default: all)",
      .parsed("LIST", words: .scenarios, Values.names, or: "names separated by commas") {
        $0.shownScenarios = $1
      }
    ),
  ]
}

extension Option.Action {
  /// Followed by what `parse` makes a value of, which is `expected`.
  static func parsed<Value>(
    _ placeholder: String,
    words: Option.Words = .anything,
    _ parse: @escaping @Sendable (String) -> Value?,
    or expected: Option.Expected,
    _ set: @escaping @Sendable (inout Options, Value) -> Void
  ) -> Option.Action {
    .value(placeholder: placeholder, words: words) { options, text in
      guard let value = parse(text) else { return expected }
      set(&options, value)
      return nil
    }
  }

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
    .parsed("TIME", Values.duration, or: Option.timeExpected) { $0[keyPath: path] = $1 }
  }

  /// A whole number.
  static func number(
    _ range: ClosedRange<Int>,
    _ path: WritableKeyPath<Options, Int?> & Sendable
  ) -> Option.Action {
    let expected = "a whole number from \(range.lowerBound) to \(range.upperBound)"
    return .parsed("N", { Values.number($0, in: range) }, or: expected) { $0[keyPath: path] = $1 }
  }

  /// Sets what is otherwise not.
  static func on(_ path: WritableKeyPath<Options, Bool> & Sendable) -> Option.Action {
    .flag { $0[keyPath: path] = true }
  }
}

extension Option {
  static let timeExpected = "a time with its unit, such as 3s, 250ms or 25us"
}
