/// What a command line asks for.
package struct Options: Equatable, Sendable {
  package enum Command: String, CaseIterable, Sendable {
    case run
    case list
    case help
    case version

    package var summary: String {
      switch self {
      case .run: "measure scenarios (the default)"
      case .list: "show the scenarios, their series and their peers"
      case .help: "show this text"
      case .version: "show the version of loopbench and of libuv"
      }
    }
  }

  package enum Format: String, CaseIterable, Sendable {
    case text
    case json
  }

  package var command = Command.run
  /// Empty means all.
  package var scenarios: [String] = []
  /// `nil` means all.
  package var peers: [String]?
  /// `nil` means as many as fit.
  package var rounds: Int?
  /// `nil` means a new one.
  package var seed: UInt64?
  package var format = Format.text
  /// Where the JSON goes, besides what is printed.
  package var output: String?

  package init() {}
}
