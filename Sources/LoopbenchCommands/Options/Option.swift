import LoopbenchKit

/// One row of the option table: what parses it and what documents it.
package struct Option: Sendable {
  /// How help shows it: `-p, --peers LIST`.
  package let usage: String
  /// With its dash: `-p`.
  package let short: String?
  /// With its dashes: `--peers`.
  package let long: String
  /// `LIST`, for one that takes a value.
  package let placeholder: String?
  /// The commands that take it.
  package let commands: Set<Command.Name>
  package let summary: String
  package let action: Action
  package private(set) var group = Group.general

  package enum Action: Sendable {
    /// Given or not.
    case flag(@Sendable (inout Options) -> Void)
    /// Followed by a value. `apply` says what the value must be if it is not.
    case value(Words, apply: @Sendable (inout Options, String) -> Expected?)
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

  /// - Parameter usage: Its names and its placeholder: `-p, --peers LIST`, `--closed`.
  init(_ usage: String, of commands: Set<Command.Name>, _ summary: String, _ action: Action) {
    let words = usage.split { $0 == " " || $0 == "," }.map(String.init)
    let names = words.prefix { $0.hasPrefix("-") }
    short = names.count > 1 ? names[0] : nil
    long = names[names.endIndex - 1]
    placeholder = names.count < words.count ? words.last : nil
    self.usage = (short == nil ? "    " : "") + usage
    self.commands = commands
    self.summary = summary
    self.action = action
  }

  /// Does what it says, with `value` if it takes one.
  ///
  /// - Returns: What the value must be, if it is not.
  func apply(_ value: String, to options: inout Options) -> Expected? {
    switch action {
    case .flag(let apply):
      apply(&options)
      options.note(self, nil)
    case .value(_, let apply):
      if let expected = apply(&options, value) { return expected }
      options.note(self, value)
    }
    return nil
  }

  /// Its name in a configuration file.
  package var key: String { String(long.dropFirst(2)) }
}

extension Option {
  /// Every option. The parser, the help of each command, the manual page, the
  /// completions, the configuration file and the suggestions are made from it.
  package static let table: [Option] = [
    (Group.choosing, choosing), (.measuring, measuring), (.comparing, comparing),
    (.writing, writing), (.showing, showing), (.general, general),
  ].flatMap { group, options in
    options.map { option in
      var option = option
      option.group = group
      return option
    }
  }

  /// The options that a command takes, in the order of the table.
  package static func of(_ command: Command.Name) -> [Option] {
    table.filter { $0.commands.contains(command) }
  }

  /// By its long or short name, with dashes: the first row of that name.
  package static func named(_ name: String) -> Option? {
    table.first { $0.long == name || $0.short == name }
  }

  /// The row of the same name for `command`: its values may be others there.
  package func row(of command: Command.Name) -> Option? {
    Self.of(command).first { $0.long == long }
  }

  static let measurers: Set<Command.Name> = [.run, .check, .replay]
  static let tracers = measurers.union([.trace])
  /// A recorded load has its own number and times.
  static let choosers: Set<Command.Name> = [.run, .check, .trace]
  static let readers: Set<Command.Name> = [.report, .compare, .plot]
}

extension Option.Action {
  /// Followed by what `parse` makes a value of, which is `expected`.
  static func parsed<Value>(
    _ parse: @escaping @Sendable (String) -> Value?,
    or expected: Option.Expected,
    _ words: Option.Words = .anything,
    _ set: @escaping @Sendable (inout Options, Value) -> Void
  ) -> Option.Action {
    .value(words) { options, text in
      guard let value = parse(text) else { return expected }
      set(&options, value)
      return nil
    }
  }

  /// One of the cases of an enumeration, by name: any of them, or of `among`.
  static func oneOf<Value: RawRepresentable & CaseIterable & Sendable>(
    _ path: WritableKeyPath<Options, Value> & Sendable,
    among values: [Value] = Array(Value.allCases)
  ) -> Option.Action where Value.RawValue == String {
    let words = values.map(\.rawValue)
    return .parsed(
      { text in words.contains(text) ? Value(rawValue: text) : nil },
      or: OptionValues.list(words),
      .oneOf(words)
    ) { $0[keyPath: path] = $1 }
  }

  /// A time with its unit, in ns.
  static func time(_ path: WritableKeyPath<Options, UInt64?> & Sendable) -> Option.Action {
    .parsed(OptionValues.duration, or: OptionValues.aTime) { $0[keyPath: path] = $1 }
  }

  /// A whole number.
  static func number(
    _ range: ClosedRange<Int>,
    _ path: WritableKeyPath<Options, Int?> & Sendable
  ) -> Option.Action {
    let expected = "a whole number from \(range.lowerBound) to \(range.upperBound)"
    return .parsed({ OptionValues.number($0, in: range) }, or: expected) { $0[keyPath: path] = $1 }
  }

  /// Sets a property that is otherwise false.
  static func on(_ path: WritableKeyPath<Options, Bool> & Sendable) -> Option.Action {
    .flag { $0[keyPath: path] = true }
  }
}
