import AsyncDisplay
import CardFeed

/// The options of the command line.
struct Options {
  var variant = FeedVariant.a4
  var size = Size(width: 768, height: 1024)
  var scale = 1.0
  /// The number of frames to show, or nil to run until the window is closed.
  var frames: Int?
  var isHeadless = false
  /// Whether to print a report once per second.
  var reports = false

  static let help = """
    usage: cardfeed [--variant NAME] [--size WxH] [--scale N] [--frames N] [--headless]
                    [--report]

    A feed of 500 cards, drawn off the loop.

      --variant NAME  where cards are drawn: S0 to S3 on the loop, A0 to A4 on workers
                      (default: A4)
      --size WxH      the size of the window, in points (default: 768x1024)
      --scale N       pixels per point, 0.1 to 4 (default: 1)
      --frames N      exit after N frames
      --headless      open no window; scroll automatically and report
      --report        print a report once per second

    up, down: scroll · page up, page down: fling · home, end: jump · wheel, drag: scroll
    a: draw on workers · s: draw on the loop · n: next variant · g: frame graph
    space: stop · q: quit

    """

  struct Misuse: Error { let text: String }

  /// Parses `arguments`. Returns nil if they request help.
  init?(_ arguments: some Sequence<String>) throws {
    var words = Array(arguments)[...]
    while let word = words.popFirst() {
      switch word {
      case "-h", "--help": return nil
      case "--headless": (isHeadless, reports) = (true, true)
      case "--report": reports = true
      case "--variant": variant = try Self.variant(word, words.popFirst())
      case "--size": size = try Self.read(word, words.popFirst(), Self.size)
      case "--scale": scale = try Self.read(word, words.popFirst(), Self.scale)
      case "--frames": frames = try Self.read(word, words.popFirst()) { Int($0) }
      default: throw Misuse(text: "there is no option \"\(word)\"")
      }
    }
  }

  private static func variant(_ option: String, _ word: String?) throws -> FeedVariant {
    guard let word, FeedVariant.named(word) == nil else {
      return try read(option, word, FeedVariant.named)
    }
    let names = FeedVariant.all.map(\.name).joined(separator: ", ")
    throw Misuse(text: "there is no variant \"\(word)\"; choose from \(names)")
  }

  private static func read<Value>(
    _ option: String,
    _ word: String?,
    _ parse: (String) -> Value?
  ) throws -> Value {
    guard let word else { throw Misuse(text: "\(option) needs a value") }
    guard let value = parse(word) else {
      throw Misuse(text: "invalid value \"\(word)\" for \(option)")
    }
    return value
  }

  private static func scale(_ text: String) -> Double? {
    Double(text).flatMap { (0.1...4).contains($0) ? $0 : nil }
  }

  private static func size(_ text: String) -> Size? {
    let parts = text.split(separator: "x").compactMap { Double($0) }
    guard parts.count == 2, parts.allSatisfy({ (100...8000).contains($0) }) else { return nil }
    return Size(width: parts[0], height: parts[1])
  }
}
