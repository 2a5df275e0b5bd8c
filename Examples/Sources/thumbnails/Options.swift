import LoopTransactions

/// What the command line says.
struct Options {
  static let help = """
    usage: thumbnails FOLDER -o OUT [--size N] [--workers N] [--visible FIRST-LAST]

    Makes thumbnails of the pictures in FOLDER, as PNG files in OUT: what is visible
    first, then what lies near. Pictures count from 1, in the order of their names.

      -o OUT                where to put them; made if it is not there
      --size N              longest edge in pixels (default: 128)
      --workers N           how many to make at once (default: 2 for each processor)
      --visible FIRST-LAST  what is visible at first (default: 1-20)
      -h, --help            show this

    While it runs, lines on standard input are commands:

      show FIRST-LAST       this is visible now
      skip FIRST-LAST       cancel these, if they are not made
      quit                  cancel all, and leave

    exit: 0 all made or cancelled · 1 some failed · 2 could not begin, or tell
    """

  private(set) var folder = ""
  private(set) var out = ""
  private(set) var size = 128
  private(set) var workers = OperationScheduler.defaultWorkerLimit
  private(set) var wantsHelp = false
  private var visibleAsked: Rows?

  init(_ arguments: some Sequence<String>) throws {
    var rest = Array(arguments)[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "-h", "--help": wantsHelp = true
      case "-o": out = try Self.value(of: argument, &rest)
      case "--size": size = try Self.number(argument, 1...4096, &rest)
      case "--workers": workers = try Self.number(argument, 1...256, &rest)
      case "--visible": visibleAsked = try Rows(parsing: Self.value(of: argument, &rest))
      default: try takeFolder(argument)
      }
    }
    guard !wantsHelp else { return }
    guard !folder.isEmpty else { throw Failure("which folder? See thumbnails --help") }
    guard !out.isEmpty else { throw Failure("where to? Say -o OUT; see thumbnails --help") }
  }

  /// What is visible at first, of `count` pictures.
  func visible(count: Int) -> Rows { visibleAsked ?? Rows(1, min(20, count)) }

  /// Throws if the options do not fit `count` pictures.
  func check(count: Int) throws { try visibleAsked?.check(count: count) }

  private mutating func takeFolder(_ argument: String) throws {
    guard !argument.hasPrefix("-") else {
      throw Failure("there is no option '\(argument)'; see thumbnails --help")
    }
    guard folder.isEmpty else {
      throw Failure("one folder at a time: '\(folder)' or '\(argument)'")
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
        "\(option) is within \(allowed.lowerBound) and \(allowed.upperBound), not '\(text)'"
      )
    }
    return number
  }
}
