import Foundation
import Testing

extension ProgramTests {
  /// Controls the window with synthetic input on a virtual screen.
  @Suite("Window", .enabled(if: Window.isPossible, "Xvfb or xdotool is not installed"))
  struct WindowTests {
    @Test("keys, wheel and drag scroll the feed, keys change the variant, and q quits")
    func input() throws {
      let window = try Window()
      try window.does("key", "Next") { $0.position > 500 }
      try window.does("key", "Home") { $0.position == 0 }
      try window.does("keydown", "Down") { $0.position > 200 }
      try window.does("keyup", "Down") { _ in true }
      let stopped = try window.settled()
      try window.does("click", "5") { $0.position > stopped + 100 }
      try window.does("key", "End") { $0.position > 100_000 }
      try window.does("key", "s") { $0.variant == "S0" }
      try window.does("key", "n") { $0.variant == "S1" }
      try window.does("key", "a") { $0.variant == "A4" }
      try window.does("key", "Home") { $0.position == 0 }
      let drag = "mousemove 200 360 mousedown 1 mousemove 200 250 mousemove 200 140 mouseup 1"
      try window.does(drag) { $0.position > 100 }
      try window.ends("key", "q")
    }
  }
}

/// A window of cardfeed on its own virtual screen.
private final class Window {
  struct Report {
    let variant: String
    let position: Int
  }

  static var isPossible: Bool {
    TestProgram.installed("Xvfb") != nil && TestProgram.installed("xdotool") != nil
  }

  private let display: VirtualDisplay
  private let feed: TestProgram

  init() throws {
    display = try VirtualDisplay(size: "400x500x24")
    feed = TestProgram(
      TestProgram.built("cardfeed"),
      ["--scale", "0.5", "--size", "400x500", "--report", "--frames", "3600"],
      environment: [
        "DISPLAY": display.name,
        "SDL_VIDEODRIVER": "x11",
        // LeakSanitizer cannot suppress leaks of drivers that SDL has unloaded,
        // because their frames have no symbols.
        "ASAN_OPTIONS": "detect_leaks=0",
      ]
    )
    try feed.start()
    // The first report shows that the window is open. Without a window manager,
    // keys go to the window under the pointer.
    _ = try next()
    try tool(["mousemove 200 250"])
  }

  /// Sends the input `words` and waits until a report satisfies `isDone`. Waits
  /// for at most 20 reports, which come once per second.
  func does(_ words: String..., until isDone: (Report) -> Bool) throws {
    try tool(words)
    for _ in 0..<20 { if isDone(try next()) { return } }
    Issue.record("no report matched after xdotool \(words)")
  }

  /// Returns the position after it has stopped changing.
  func settled() throws -> Int {
    var last = -1
    for _ in 0..<20 {
      let position = try next().position
      if position == last { break }
      last = position
    }
    return last
  }

  /// Sends the input `words` and waits until the program exits.
  func ends(_ words: String...) throws {
    try tool(words)
    #expect(feed.finish().code == 0)
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
    let line = try #require(feed.nextLine())
    let words = line.split(separator: " ")
    let variant = try #require(words.first).dropLast()
    return Report(variant: String(variant), position: try #require(words.last.flatMap { Int($0) }))
  }
}
