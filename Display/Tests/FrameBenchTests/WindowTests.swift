import Foundation
import Testing

extension ProgramTests {
  /// Controls the window with synthetic input on a virtual screen.
  @Suite("Window", .enabled(if: Window.isPossible, "Xvfb, xdotool or import is not installed"))
  struct WindowTests {
    @Test("keys, wheel and drag scroll the feed, keys change the variant, and q quits")
    func input() throws {
      let window = try Window()
      // A page is nine tenths of 500 points.
      try window.does("key", "Next") { $0.position == 450 && $0.isAtRest }
      try window.does("key", "Home") { $0.position == 0 && $0.isAtRest }
      try window.does("keydown", "Down") { $0.position > 200 }
      let stopped = try window.does("keyup", "Down") { $0.isAtRest }.position
      // A notch is 112 points.
      try window.does("click", "5") { $0.position == stopped + 112 && $0.isAtRest }
      try window.does("key", "End") { $0.position > 100_000 && $0.isAtRest }
      try window.does("key", "s") { $0.variant == "S0" && $0.isAtRest }
      try window.does("key", "n") { $0.variant == "S1" && $0.isAtRest }
      try window.does("key", "a") { $0.variant == "A4" && $0.isAtRest }
      try window.does("key", "Home") { $0.position == 0 && $0.isAtRest }
      let drag = "mousemove 200 360 mousedown 1 mousemove 200 250 mousemove 200 140 mouseup 1"
      try window.does(drag) { $0.position > 100 }
      try window.ends("key", "q")
    }

    @Test("a click likes or opens a card, keys do the same, and a resized window still answers")
    func cards() throws {
      let window = try Window()
      // The like button of the first card, at 330 x 40 points of the window.
      #expect(try window.red(265, 145) == false)
      try window.does("mousemove 265 145 click 1") { $0.text.hasSuffix("at rest, 1 liked") }
      #expect(try window.red(265, 145))
      try window.does("mousemove 200 225 click 1") {
        $0.text.hasSuffix("at rest, 1 liked, card 0 open")
      }
      try window.does("key l") { $0.text.hasSuffix("at rest, card 0 open") }
      try window.does("key Escape") { $0.text.hasSuffix("at rest") }
      try window.does("key Tab Tab Return") { $0.text.hasSuffix("card 1 open") }
      try window.does("key Escape") { $0.text.hasSuffix("at rest") }
      try window.does("search --name cardfeed windowsize 360 300") { $0.isAtRest }
      try window.does("key End") { $0.position > 1000 && $0.isAtRest }
      try window.ends("key", "q")
    }

    @Test("with --trace a window writes its frames, drawings and bitmaps in flight")  // X3, D18
    func trace() throws {
      let path = "/tmp/cardfeed-window-\(getpid()).json"
      defer { unlink(path) }
      let window = try Window(["--trace", path])
      try window.does("key", "Next") { $0.position == 450 && $0.isAtRest }
      try window.ends("key", "q")
      try checkTrace(path)
    }
  }
}

/// A window of cardfeed on its own virtual screen.
private final class Window {
  struct Report {
    let text: String
    let variant: String
    let position: Int

    // The program prints no more reports until something changes.
    var isAtRest: Bool { text.contains(", at rest") }
  }

  static var isPossible: Bool {
    ["Xvfb", "xdotool", "import"].allSatisfy { TestProgram.installed($0) != nil }
  }

  private let display: VirtualDisplay
  private let feed: TestProgram

  init(_ more: [String] = []) throws {
    display = try VirtualDisplay(size: "400x500x24")
    // A feed at rest prints nothing. If it ignores an input, `timeout` ends it,
    // so that the test fails instead of waiting. Test threads block SIGTERM, and
    // programs inherit that.
    let options = ["--scale", "0.5", "--size", "400x500", "--report"] + more
    feed = TestProgram(
      "timeout",
      ["-s", "KILL", "300", TestProgram.built("cardfeed")] + options,
      environment: [
        "DISPLAY": display.name,
        "SDL_VIDEODRIVER": "x11",
        // LeakSanitizer cannot suppress leaks of drivers that SDL has unloaded,
        // because their frames have no symbols.
        "ASAN_OPTIONS": "detect_leaks=0",
      ]
    )
    try feed.start()
    // The feed comes to rest after the first cards are shown. Without a window
    // manager, keys go to the window under the pointer.
    while try !next().isAtRest {}
    try tool(["mousemove 200 250"])
  }

  /// Sends the input `words` and returns the first report that satisfies
  /// `isDone`. Waits for at most 20 reports. They come once per second while
  /// something moves, and once when it has come to rest.
  @discardableResult
  func does(_ words: String..., until isDone: (Report) -> Bool) throws -> Report {
    try tool(words)
    for _ in 0..<20 {
      let report = try next()
      if isDone(report) { return report }
    }
    throw NotReported(words: words)
  }

  struct NotReported: Error { let words: [String] }

  /// Sends the input `words` and waits until the program exits.
  func ends(_ words: String...) throws {
    try tool(words)
    #expect(feed.finish().code == 0)
  }

  /// Returns whether the screen shows a red pixel at a position.
  func red(_ x: Int, _ y: Int) throws -> Bool {
    let words = ["-window", "root", "-crop", "1x1+\(x)+\(y)", "-depth", "8", "txt:-"]
    let output = try TestProgram.run("import", words, environment: ["DISPLAY": display.name])
    let pixel = try #require(output.text.firstMatch(of: /#(\w\w)(\w\w)/), "\(output)")
    let (red, green) = (Int(pixel.1, radix: 16) ?? 0, Int(pixel.2, radix: 16) ?? 0)
    return red > 180 && green < 120
  }

  private func tool(_ words: [String]) throws {
    let arguments = words.flatMap { $0.split(separator: " ").map(String.init) }
    let output = try TestProgram.run(
      "xdotool",
      arguments,
      environment: ["DISPLAY": display.name]
    )
    try #require(output.code == 0, "\(output.errors)")
  }

  private func next() throws -> Report {
    var line = try #require(feed.nextLine())
    while line.hasPrefix("frame ") { line = try #require(feed.nextLine()) }
    let match = try #require(
      try /(\w+): .* at (\d+)(, at rest.*)?/.wholeMatch(in: line),
      "unexpected report: \(line)"
    )
    let position = try #require(Int(match.2))
    return Report(text: line, variant: String(match.1), position: position)
  }
}
