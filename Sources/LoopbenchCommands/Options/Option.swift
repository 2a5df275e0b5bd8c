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
