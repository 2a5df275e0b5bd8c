import AsyncDisplay
import CardFeed

/// What the command line asks for.
struct Options {
  var variant = FeedVariant.a4
  var size = Size(width: 768, height: 1024)
  var scale = 1.0
  /// So many frames are shown; nil: until it is closed.
  var frames: Int?
  var isHeadless = false
  /// Whether it says once a second what it showed.
  var reports = false

  static let help = """
    usage: cardfeed [--variant NAME] [--size WxH] [--scale N] [--frames N] [--headless]
                    [--report]

    A feed of 500 cards that are drawn off the loop.

      --variant NAME  who draws: S0 to S3 on the loop, A0 to A4 on workers (default: A4)
      --size WxH      the window, in points (default: 768x1024)
      --scale N       pixels a point, 0.1 to 4 (default: 1)
      --frames N      end after so many frames
      --headless      no window: scroll by itself, and report
      --report        say once a second what was shown

    up, down: scroll · page up, page down: throw · home, end · wheel, drag
    a: drawn on workers · s: on the loop · n: the next variant · g: graph · space: stop · q: end

    """

  struct Misuse: Error { let text: String }

  /// Reads `arguments`; nil if they ask for help.
  init?(_ arguments: some Sequence<String>) throws {
    var words = Array(arguments)[...]
    while let word = words.popFirst() {
      switch word {
      case "-h", "--help": return nil
      case "--headless": (isHeadless, reports) = (true, true)
      case "--report": reports = true
      case "--variant": variant = try Self.read(word, words.popFirst(), FeedVariant.named)
      case "--size": size = try Self.read(word, words.popFirst(), Self.size)
      case "--scale": scale = try Self.read(word, words.popFirst(), Self.scale)
      case "--frames": frames = try Self.read(word, words.popFirst()) { Int($0) }
      default: throw Misuse(text: "there is no option \"\(word)\"")
      }
    }
  }

  private static func read<Value>(
    _ option: String,
    _ word: String?,
    _ parse: (String) -> Value?
  ) throws -> Value {
    guard let word, let value = parse(word) else {
      throw Misuse(text: "\(option) does not take \(word.map { "\"\($0)\"" } ?? "nothing")")
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
