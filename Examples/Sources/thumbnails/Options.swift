import LoopTransactions

/// The parsed command line.
struct Options {
  static let help = """
    usage: thumbnails FOLDER -o OUT [--size N] [--workers N] [--visible FIRST-LAST]

    Makes PNG thumbnails of the pictures in FOLDER: visible pictures first, then those
    closest to them. Pictures are numbered from 1 in the order of their names.

      -o OUT                output folder, created if it does not exist
      --size N              longest edge in pixels (default: 128)
      --workers N           maximum number of worker threads (default: 2 per processor)
      --visible FIRST-LAST  initially visible pictures (default: 1-20)
      -h, --help            show this help

    Commands on standard input:

      show FIRST-LAST       make these pictures the visible ones
      skip FIRST-LAST       cancel these pictures, unless they are done
      quit                  cancel all pictures and exit

    exit: 0 all made or cancelled · 1 some failed · 2 usage error, or cannot read the
          folder, create OUT or write to standard output
    """

  private(set) var folder = ""
  private(set) var out = ""
  private(set) var size = 128
  private(set) var workers = OperationScheduler.defaultWorkerLimit
  private(set) var wantsHelp = false
  private var requestedVisible: PositionRange?

  init(_ arguments: some Sequence<String>) throws {
    var rest = Array(arguments)[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "-h", "--help": wantsHelp = true
      case "-o": out = try Self.value(of: argument, &rest)
      case "--size": size = try Self.number(argument, 1...4096, &rest)
      case "--workers": workers = try Self.number(argument, 1...256, &rest)
      case "--visible":
        requestedVisible = try PositionRange(parsing: Self.value(of: argument, &rest))
      default: try setFolder(argument)
      }
    }
    guard !wantsHelp else { return }
    guard !folder.isEmpty else { throw Failure("FOLDER is missing; see thumbnails --help") }
    guard !out.isEmpty else { throw Failure("-o OUT is missing; see thumbnails --help") }
  }

  /// Returns the initially visible range of `count` pictures.
  func visible(count: Int) -> PositionRange {
    requestedVisible ?? PositionRange(1, min(20, count))
  }

  /// Throws if the options exceed `count` pictures.
  func check(count: Int) throws { try requestedVisible?.check(count: count) }

  private mutating func setFolder(_ argument: String) throws {
    guard !argument.hasPrefix("-") else {
      throw Failure("unknown option '\(argument)'; see thumbnails --help")
    }
    guard folder.isEmpty else {
      throw Failure("expected one folder, got '\(folder)' and '\(argument)'")
    }
    folder = argument
  }

  private static func value(of option: String, _ rest: inout ArraySlice<String>) throws -> String {
    guard let value = rest.popFirst(), !value.isEmpty else {
      throw Failure("\(option) needs a value; see thumbnails --help")
    }
    return value
  }

  private static func number(
    _ option: String,
    _ allowed: ClosedRange<Int>,
    _ rest: inout ArraySlice<String>
  ) throws -> Int {
    let text = try value(of: option, &rest)
    guard let number = Int(text), allowed.contains(number) else {
      throw Failure(
        "\(option) must be from \(allowed.lowerBound) to \(allowed.upperBound), got '\(text)'"
      )
    }
    return number
  }
}
