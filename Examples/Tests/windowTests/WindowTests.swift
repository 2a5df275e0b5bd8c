import Foundation
import Testing

@Suite("Windows", .serialized)
struct WindowTests {
  @Test("typed notes are shown, saved, and loaded by the next run")
  func notes() throws {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("notes-\(UUID().uuidString).txt")
    defer { try? FileManager.default.removeItem(at: file) }
    for round in 1...2 {
      let screen = try Screen()
      let window = try screen.run("gtk-notes", [file.path], window: "Notes")
      for text in ["buy milk", "call Ada"] {
        try screen.xdotool("type", "--delay", "1", text)
        try screen.xdotool("key", "Return")
      }
      // Antialiased text has many colours. An empty window has two or three. GTK draws
      // after it has handled the keys.
      #expect(inTime { (try? screen.colours(of: window)) ?? 0 > 10 })
      let saved = String(repeating: "buy milk\ncall Ada\n", count: round)
      #expect(inTime { (try? String(contentsOf: file, encoding: .utf8)) == saved })
      try screen.xdotool("key", "Escape")
      let lines = try screen.finish().lines
      #expect(lines.first == "\(2 * round) notes, \(2 * round) saved")
      // Each key changes the text, and Return clears it.
      #expect(lines.last?.hasPrefix("18 changes shown by ") == true, "\(lines)")
    }
  }

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

  @Test("a note added just before Escape is saved, and the program exits with code 0")
  func end() throws {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("notes-\(UUID().uuidString).txt")
    defer { try? FileManager.default.removeItem(at: file) }
    for round in 1...5 {
      let screen = try Screen()
      _ = try screen.run("gtk-notes", [file.path], window: "Notes")
      // One call sends all keys together. Escape closes the window while an update is
      // pending.
      try screen.xdotool("key", "--delay", "0", "a", "Return", "b", "Escape")
      let output = try screen.finish()
      #expect(output.lines.first == "\(round) notes, \(round) saved")
      #expect(output.code == 0)
      let saved = try? String(contentsOf: file, encoding: .utf8)
      #expect(saved == String(repeating: "a\n", count: round))
    }
  }

  @Test("notes that cannot be saved are counted at exit, with code 1")
  func unsaved() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("none-\(UUID().uuidString)")
    let screen = try Screen()
    _ = try screen.run("gtk-notes", [folder.appendingPathComponent("x").path], window: "Notes")
    try screen.xdotool("key", "--delay", "0", "a", "Return", "Escape")
    let output = try screen.finish()
    #expect(output.lines.first == "1 notes, 0 saved")
    #expect(output.code == 1)
  }

  @Test("CRLF line ends are accepted, and a file that is not text is refused and not changed")
  func foreignFiles() throws {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("notes-\(UUID().uuidString).txt")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data("one\r\ntwo\r\n".utf8).write(to: file)
    var screen = try Screen()
    _ = try screen.run("gtk-notes", [file.path], window: "Notes")
    try screen.xdotool("key", "Escape")
    #expect(try screen.finish().lines.first == "2 notes, 2 saved")

    let picture = Data([0x89, 0x50, 0xFF, 0xFE])
    try picture.write(to: file)
    screen = try Screen()
    try screen.start("gtk-notes", [file.path])
    let output = try screen.finish()
    #expect(output.lines == [])
    #expect(output.code == 1)
    #expect(try Data(contentsOf: file) == picture)
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
