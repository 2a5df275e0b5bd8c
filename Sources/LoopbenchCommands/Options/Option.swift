import LoopbenchKit

/// One row of the option table: what parses it and what documents it.
package struct Option: Sendable {
  /// With its dash: `-p`.
  package let short: String?
  /// With its dashes: `--peers`.
  package let long: String
  package let group: Group
  /// Those that take it.
  package let commands: Set<Command.Name>
  package let summary: String
  package let action: Action

  package enum Action: Sendable {
    /// Given or not.
    case flag(@Sendable (inout Options) -> Void)
    /// Followed by a value. `apply` says what the value must be if it is not.
    case value(
      placeholder: String,
      words: Words,
      apply: @Sendable (inout Options, String) -> Expected?
    )
  }

  /// "a whole number from 1 to 1000": completes "needs …".
  package typealias Expected = String

  /// What a shell may complete a value with.
  package enum Words: Sendable {
    case anything
    case file
    case oneOf([String])
    case peers
    case scenarios
    /// Formats, each before an equals sign and a file.
    case exports
  }

  /// The heading it stands under in help.
  package enum Group: String, CaseIterable, Sendable {
    case choosing = "What is measured"
    case measuring = "How it is measured"
    case comparing = "Comparing"
    case writing = "What is written"
    case showing = "How it is shown"
    case general = "General"
  }

  package init(
    _ long: String,
    short: String? = nil,
    in group: Group,
    of commands: Set<Command.Name>,
    _ summary: String,
    _ action: Action
  ) {
    self.long = long
    self.short = short
    self.group = group
    self.commands = commands
    self.summary = summary
    self.action = action
  }

  /// How help shows it: `-p, --peers LIST`.
  package var usage: String {
    let names = short.map { "\($0), \(long)" } ?? "    \(long)"
    return placeholder.map { "\(names) \($0)" } ?? names
  }

  /// `LIST`, for one that takes a value.
  package var placeholder: String? {
    guard case .value(let placeholder, _, _) = action else { return nil }
    return placeholder
  }

  /// Its name in a configuration file.
  package var key: String { String(long.dropFirst(2)) }
}

extension Option {
  /// Those that a command takes, in the order of the table.
  package static func of(_ command: Command.Name) -> [Option] {
    table.filter { $0.commands.contains(command) }
  }

  /// By its long or short name, with dashes: the first row of that name.
  package static func named(_ name: String) -> Option? {
    table.first { $0.long == name || $0.short == name }
  }

  /// What the same name is to `command`: its values may be others there.
  package func row(of command: Command.Name) -> Option? {
    Self.of(command).first { $0.long == long }
  }
}

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
