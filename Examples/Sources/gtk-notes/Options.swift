import Foundation

/// The parsed command line.
struct Options {
  static let help = """
    usage: gtk-notes [FOLDER] [--feed N] [--rate N] [--report]

    A window for writing and finding notes. Notes are saved while you write.

      FOLDER      folder with the notes, created if it does not exist
                  (default: $XDG_DATA_HOME/gtk-notes, or ~/.local/share/gtk-notes)
      --feed N    add N invented notes, which workers make while the window is in use
      --rate N    add at most about N notes per second (default: no limit)
      --report    print counts and frame times at exit
      -h, --help  show this help

    Keys:

      Ctrl+N                 new note
      Ctrl+F, Escape         search, end the search
      Ctrl+Z, Ctrl+Shift+Z   undo, redo: edited, new and deleted notes
      Delete                 delete the note that is selected in the list
      Down, Up               choose a note; Return writes in it
      Ctrl+Q                 quit

    exit: 0 all notes are saved · 1 cannot load or save the notes, or open the display ·
          2 usage error
    """

  struct UsageError: Error, CustomStringConvertible {
    let description: String
  }

  private(set) var folder = Options.defaultFolder
  private(set) var feed = 0
  private(set) var rate: Int?
  private(set) var reports = false
  private(set) var wantsHelp = false

  init(_ arguments: some Sequence<String>) throws {
    var folders: [String] = []
    var rest = Array(arguments)[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "-h", "--help": wantsHelp = true
      case "--report": reports = true
      case "--feed": feed = try Self.number(argument, 1...1_000_000, rest.popFirst())
      case "--rate": rate = try Self.number(argument, 100...1_000_000, rest.popFirst())
      case _ where argument.hasPrefix("-"):
        throw UsageError(description: "unknown option '\(argument)'; see gtk-notes --help")
      default: folders.append(argument)
      }
    }
    guard folders.count < 2 else {
      throw UsageError(description: "expected one folder, got \(folders.count)")
    }
    folder = folders.first ?? folder
  }

  private static var defaultFolder: String {
    let variables = ProcessInfo.processInfo.environment
    let data = variables["XDG_DATA_HOME"].flatMap { $0.isEmpty ? nil : $0 }
    return "\(data ?? "\(NSHomeDirectory())/.local/share")/gtk-notes"
  }

  private static func number(
    _ option: String,
    _ allowed: ClosedRange<Int>,
    _ text: String?
  ) throws -> Int {
    guard let number = text.flatMap({ Int($0) }), allowed.contains(number) else {
      throw UsageError(
        description: "\(option) must be from \(allowed.lowerBound) to \(allowed.upperBound), "
          + "got '\(text ?? "")'; see gtk-notes --help"
      )
    }
    return number
  }
}
