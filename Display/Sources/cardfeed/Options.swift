import AsyncDisplay
import CardFeed
import FeedWindow

/// The options of the command line.
struct Options {
  var variant = FeedVariant.a4
  /// The size in points, or nil for a size that fits the screen.
  var size: Size?
  /// The number of pixels per point, or nil for the screen's.
  var scale: Double?
  /// The number of frames to show, or nil to run until the window is closed.
  var frames: Int?
  var isHeadless = false
  /// Whether to print late frames, and a report once per second.
  var reports = false
  /// The file to write a trace to when the program exits, or nil.
  var trace: String?

  static let help = """
    usage: cardfeed [--variant NAME] [--size WxH] [--scale N] [--frames N] [--headless]
                    [--report] [--trace FILE]

    A feed of 500 cards, drawn off the loop.

      --variant NAME  where cards are drawn: S0 to S3 on the loop, A0 to A4 on workers
                      (default: A4)
      --size WxH      the size of the window, in points (default: fits the screen)
      --scale N       pixels per point, 0.1 to 4 (default: the screen's; on X11 GDK_SCALE,
                      Xft.dpi / 96, or the screen's dots per inch / 96)
      --frames N      exit after N frames, at least 1
      --headless      open no window; scroll automatically and report
      --report        print a report once per second, and when the feed comes to rest;
                      print each frame that was late by a whole frame, and the reason
      --trace FILE    write a trace of all threads when the program exits; open it with
                      loopbench trace FILE, or at ui.perfetto.dev

    up, down: scroll · page up, page down: a page · home, end: jump · space: stop
    wheel, drag: scroll · click, tap: open a card, or like it
    tab, arrows: next card · enter: open it · l: like it · escape: close it
    a: draw on workers · s: draw on the loop · n: next variant · g: frame graph · q: quit

    Cards in other scripts need fonts: fonts-noto-core, fonts-noto-cjk and
    fonts-noto-color-emoji on Debian. A script without a font is left out.

    """

  /// A minute of frames of a busy feed, 4 MB per thread. Not measured.
  static let eventsPerThread = 131_072

  struct Misuse: Error { let text: String }

  /// The settings of a player with a window.
  var settings: WindowPlayer.Settings {
    var settings = WindowPlayer.Settings(variant)
    (settings.frames, settings.reports) = (frames, reports)
    return settings
  }

  /// Parses `arguments`. Returns nil if they request help.
  init?(_ arguments: some Sequence<String>) throws {
    var words = Array(arguments)[...]
    while let word = words.popFirst() {
      switch word {
      case "-h", "--help": return nil
      case "--headless": (isHeadless, reports) = (true, true)
      case "--report": reports = true
      case "--trace":
        trace = try Self.read(word, words.popFirst(), "a path") { $0.isEmpty ? nil : $0 }
      case "--variant": variant = try Self.variant(word, words.popFirst())
      case "--size":
        size = try Self.read(word, words.popFirst(), "WxH, each 100 to 8000", Self.size)
      case "--scale": scale = try Self.read(word, words.popFirst(), "0.1 to 4", Self.scale)
      case "--frames":
        frames = try Self.read(word, words.popFirst(), "a number of at least 1", Self.frames)
      default: throw Misuse(text: "there is no option \"\(word)\"")
      }
    }
  }

  private static func variant(_ option: String, _ word: String?) throws -> FeedVariant {
    guard let word, FeedVariant.named(word) == nil else {
      return try read(option, word, "a variant", FeedVariant.named)
    }
    let names = FeedVariant.all.map(\.name).joined(separator: ", ")
    throw Misuse(text: "there is no variant \"\(word)\"; choose from \(names)")
  }

  private static func read<Value>(
    _ option: String,
    _ word: String?,
    _ form: String,
    _ parse: (String) -> Value?
  ) throws -> Value {
    guard let word else { throw Misuse(text: "\(option) needs a value") }
    guard let value = parse(word) else {
      throw Misuse(text: "\(option) must be \(form), got \"\(word)\"")
    }
    return value
  }

  private static func frames(_ text: String) -> Int? { Int(text).flatMap { $0 >= 1 ? $0 : nil } }

  private static func scale(_ text: String) -> Double? {
    Double(text).flatMap { (0.1...4).contains($0) ? $0 : nil }
  }

  private static func size(_ text: String) -> Size? {
    let parts = text.split(separator: "x").compactMap { Double($0) }
    guard parts.count == 2, parts.allSatisfy({ (100...8000).contains($0) }) else { return nil }
    return Size(width: parts[0], height: parts[1])
  }
}
