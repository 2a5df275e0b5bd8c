import LoopbenchKit

/// A row of the option table, which defines how an option is parsed and documented.
package struct Option: Sendable {
  /// The option in the help: `-p, --peers LIST`.
  package let usage: String
  /// The short name with its dash: `-p`.
  package let short: String?
  /// The long name with its dashes: `--peers`.
  package let long: String
  /// The placeholder of the value: `LIST`. Nil if the option takes no value.
  package let placeholder: String?
  /// The commands that have the option.
  package private(set) var commands = measurers
  package private(set) var summary = ""
  package let action: Action
  package private(set) var group = Group.general

  package enum Action: Sendable {
    case flag(@Sendable (inout Options) -> Void)
    /// `apply` returns nil if the value is valid, and otherwise a description of
    /// valid values.
    case value(ValueKind, apply: @Sendable (inout Options, String) -> Expected?)
  }

  /// A description of valid values, such as "a whole number from 1 to 1000". Error
  /// messages append it to "needs".
  package typealias Expected = String

  /// The kind of values that a shell completes.
  package enum ValueKind: Sendable {
    case any
    case file
    case oneOf([String])
    case peers
    case scenarios
  }

  /// The headings of the option groups in the help.
  package enum Group: String, CaseIterable, Sendable {
    case choosing = "Selection"
    case measuring = "Measurement"
    case comparing = "Comparison"
    case writing = "Output"
    case showing = "Display"
    case general = "General"
  }

  /// - Parameter usage: Names and placeholder: `-p, --peers LIST`, `--strict`.
  init(_ usage: String, _ action: Action) {
    let words = usage.split { $0 == " " || $0 == "," }.map(String.init)
    let names = words.prefix { $0.hasPrefix("-") }
    short = names.count > 1 ? names[0] : nil
    long = names[names.endIndex - 1]
    placeholder = names.count < words.count ? words.last : nil
    self.usage = (short == nil ? "    " : "") + usage
    self.action = action
  }

  /// The option with a description for the help.
  func meaning(_ summary: String) -> Option {
    var option = self
    option.summary = summary
    return option
  }

  /// The option of other commands than those that measure.
  func of(_ commands: Set<Command.Name>) -> Option {
    var option = self
    option.commands = commands
    return option
  }

  /// Applies the option. `value` is ignored if the option takes no value.
  ///
  /// - Returns: Nil if `value` is valid, and otherwise a description of valid
  ///   values.
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
}

extension Option {
  /// The table of all options. The parser, the help, the manual page, the
  /// completions and the suggestions use it.
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

  /// The options of a command, in the order of the table.
  package static func of(_ command: Command.Name) -> [Option] {
    table.filter { $0.commands.contains(command) }
  }

  /// The first row with the long or short name `name`, including its dashes.
  package static func named(_ name: String) -> Option? {
    table.first { $0.long == name || $0.short == name }
  }

  /// The row of the same name for `command`. Its valid values may differ.
  package func row(of command: Command.Name) -> Option? {
    Self.of(command).first { $0.long == long }
  }

  static let measurers = tabulators.union([.compareLibuv])
  /// Commands that measure chosen series and print tables.
  static let tabulators: Set<Command.Name> = [.run, .check, .replay]
  static let tracers = measurers.union([.trace])
  /// Commands that choose the number of operations and their times. `replay` is not one
  /// of them, because a recorded load determines both.
  static let choosers: Set<Command.Name> = [.run, .compareLibuv, .check, .trace]
  /// Commands that choose series and how they are measured.
  static let selectors: Set<Command.Name> = [.run, .check, .trace]
  static let readers: Set<Command.Name> = [.report, .compare, .plot]
}

extension Option.Action {
  /// Takes a value that `parse` converts. If `parse` returns nil, the error message
  /// says that the value must be `expected`.
  static func parsed<Value>(
    _ parse: @escaping @Sendable (String) -> Value?,
    or expected: Option.Expected,
    _ kind: Option.ValueKind = .any,
    set: @escaping @Sendable (inout Options, Value) -> Void
  ) -> Option.Action {
    .value(kind) { options, text in
      guard let value = parse(text) else { return expected }
      set(&options, value)
      return nil
    }
  }

  static func parsed<Value>(
    _ parse: @escaping @Sendable (String) -> Value?,
    or expected: Option.Expected,
    _ kind: Option.ValueKind = .any,
    _ path: WritableKeyPath<Options, Value> & Sendable
  ) -> Option.Action {
    parsed(parse, or: expected, kind) { $0[keyPath: path] = $1 }
  }

  /// Sets a property that is nil by default.
  static func optional<Value>(
    _ parse: @escaping @Sendable (String) -> Value?,
    or expected: Option.Expected,
    _ kind: Option.ValueKind = .any,
    _ path: WritableKeyPath<Options, Value?> & Sendable
  ) -> Option.Action {
    parsed(parse, or: expected, kind) { $0[keyPath: path] = $1 }
  }

  /// Takes the name of one of `values`.
  static func oneOf<Value: RawRepresentable & CaseIterable & Sendable>(
    _ path: WritableKeyPath<Options, Value> & Sendable,
    among values: [Value] = Array(Value.allCases)
  ) -> Option.Action where Value.RawValue == String {
    let words = values.map(\.rawValue)
    return .parsed(
      { text in words.contains(text) ? Value(rawValue: text) : nil },
      or: words.listed("or"),
      .oneOf(words),
      path
    )
  }

  /// Takes a time with its unit. Stores the time in ns.
  static func time(_ path: WritableKeyPath<Options, UInt64?> & Sendable) -> Option.Action {
    .optional(OptionValues.duration, or: OptionValues.aTime, .any, path)
  }

  /// Takes a whole number.
  static func number(
    _ range: ClosedRange<Int>,
    _ path: WritableKeyPath<Options, Int?> & Sendable
  ) -> Option.Action {
    let expected = "a whole number from \(range.lowerBound) to \(range.upperBound)"
    return .optional({ OptionValues.number($0, in: range) }, or: expected, .any, path)
  }

  /// Sets a property that is false by default.
  static func on(_ path: WritableKeyPath<Options, Bool> & Sendable) -> Option.Action {
    .flag { $0[keyPath: path] = true }
  }
}
