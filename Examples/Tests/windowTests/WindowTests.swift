import Foundation
import Testing

@Suite("Windows", .serialized)
struct WindowTests {
  @Test("the window of the tutorial shows its entry's words, and ends on Return")
  func tutorial() throws {
    let screen = try Screen()
    let window = try screen.run("gtk-window", window: "Words")
    try screen.xdotool("type", "--delay", "1", "one two")
    #expect(inTime { (try? screen.colours(of: window)) ?? 0 > 10 })
    try screen.xdotool("key", "Return")
    let output = try screen.finish()
    #expect(output.code == 0, "\(output.errors)")
    #expect(output.lines.last?.hasPrefix("7 changes shown by ") == true, "\(output.lines)")
  }

  @Test("a label changes once per frame of GTK, and the program ends while a thread still commits")
  func frames() throws {
    let screen = try Screen()
    try screen.start("gtk-frames", [])
    let output = try screen.finish()
    #expect(output.code == 0, "\(output.errors)")
    #expect(output.lines.first == "refused: closed", "\(output.errors)")
    // GTK reports only real changes. The thread may be late, so that a frame shows an old count.
    let figures = output.lines.last?.split(separator: " ").compactMap { Int($0) } ?? []
    try #require(figures.count == 2, "\(output.lines)")
    #expect(figures[0] == 30 && (1...30).contains(figures[1]), "\(output.lines)")
  }

  @Test("the paddle follows the keys, and the program draws at most once per change")
  func pong() throws {
    let screen = try Screen()
    let window = try screen.run("sdl-pong", window: "Pong")
    try screen.xdotool("key", "--delay", "1", "Down", "Down", "Down", "Up")
    #expect(inTime { (try? screen.colours(of: window)) ?? 0 >= 4 })
    try screen.xdotool("key", "Escape")
    let lines = try screen.finish().lines
    try #require(lines.count == 4)
    let figures = lines[2].split(separator: " ").compactMap { Int($0) }
    // At most one draw per change. The last key ends the program and draws nothing.
    try #require(figures.count == 2)
    #expect(figures[1] <= figures[0] && figures[1] > 0, "\(lines)")
    #expect(lines[3].hasSuffix("paddle at 160"), "\(lines)")
  }

  /// Polls until `isMet` returns true, at most for 10 s. The window system does not report
  /// when it has drawn.
  private func inTime(_ isMet: () -> Bool) -> Bool {
    let end = Date().addingTimeInterval(10)
    while Date() < end {
      if isMet() { return true }
      _ = RunLoop.current.run(mode: .default, before: Date().addingTimeInterval(0.02))
    }
    return false
  }
}
