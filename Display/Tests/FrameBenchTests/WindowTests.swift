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

    /// A screen, its settings, and the size of a new window in pixels.
    struct Screen {
      let size: String
      /// The values of the resource `Xft.dpi` and of `GDK_SCALE`.
      var dpi: String?
      var scale: String?
      let window: [String]
    }

    // Without a window manager, the whole screen is usable. 64 points are left for a title
    // bar.
    private static let screens = [
      Screen(size: "1024x600", window: ["768", "536"]),
      Screen(size: "1366x768", window: ["768", "704"]),
      Screen(size: "1366x768", dpi: "120", window: ["960", "688"]),
      Screen(size: "1920x1080", dpi: "144", window: ["1152", "984"]),
      Screen(size: "2560x1600", dpi: "192", window: ["1536", "1472"]),
      Screen(size: "2560x1600", dpi: "96", scale: "2", window: ["1536", "1472"]),
    ]

    @Test("a new window fits the screen, at the screen's scale or the user's", arguments: screens)
    func size(_ screen: Screen) throws {
      let resources = "/tmp/cardfeed-resources-\(getpid())"
      defer { unlink(resources) }
      let text = screen.dpi.map { "Xft.dpi: \($0)\n" } ?? ""
      try text.write(toFile: resources, atomically: true, encoding: .utf8)
      let display = try VirtualDisplay(size: screen.size + "x24")
      let feed = TestProgram(
        TestProgram.built("cardfeed"),
        environment: [
          "DISPLAY": display.name, "SDL_VIDEODRIVER": "x11", "GDK_SCALE": screen.scale,
          "XENVIRONMENT": resources,
        ]
      )
      try feed.start()
      // If there is no window, `timeout` ends the search, so that the test fails.
      let search = "300 xdotool search --sync --onlyvisible --name cardfeed"
      let shown = try TestProgram.run(
        "timeout",
        (search + " getwindowgeometry --shell").split(separator: " ").map(String.init),
        environment: ["DISPLAY": display.name]
      )
      let size = shown.text.firstMatch(of: /WIDTH=(\d+)\s+HEIGHT=(\d+)/)
      let (width, height) = try #require(size.map { (String($0.1), String($0.2)) }, "\(shown)")
      #expect([width, height] == screen.window)
      // It is still drawing its first cards.
      feed.terminate()
    }

    @Test("with --trace a window writes its frames, drawings and bitmaps in flight")  // X3, D18
    func trace() throws {
      let path = "/tmp/cardfeed-window-\(getpid()).json"
      defer { unlink(path) }
      let window = try Window(["--trace", path])
      // A feed comes to rest while its workers still draw. It ends after it has shown only
      // cards that are drawn.
      var report = try window.does("key", "Next") { $0.position == 450 && $0.isAtRest }
      while report.shown == 0 || report.blanks > 0 {
        try window.does("key", "Home") { $0.position == 0 && $0.isAtRest }
        report = try window.does("key", "Next") { $0.position == 450 && $0.isAtRest }
      }
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
    /// The number of cards in all frames, and how many of them had no picture.
    let shown: Int
    let blanks: Int
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
      try /(\w+): .*, (\d+) of (\d+) cards blank, at (\d+)(, at rest.*)?/.wholeMatch(in: line),
      "unexpected report: \(line)"
    )
    let numbers = try [match.2, match.3, match.4].map { try #require(Int($0)) }
    return Report(
      text: line,
      variant: String(match.1),
      shown: numbers[1],
      blanks: numbers[0],
      position: numbers[2]
    )
  }
}
