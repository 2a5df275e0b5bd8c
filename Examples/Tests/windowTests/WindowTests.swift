import Foundation
import Testing

@Suite("Windows", .serialized)
struct WindowTests {
  @Test("notes that are typed are shown, saved by a worker, and there the next time")
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
      // The text and its edges: an empty window has two or three. GTK draws after it has
      // handled the keys.
      #expect(inTime { (try? screen.colours(of: window)) ?? 0 > 10 })
      let saved = String(repeating: "buy milk\ncall Ada\n", count: round)
      #expect(inTime { (try? String(contentsOf: file, encoding: .utf8)) == saved })
      try screen.xdotool("key", "Escape")
      let lines = try screen.finish().lines
      #expect(lines.first == "\(2 * round) notes, \(2 * round) saved")
      // Each key changes the text, and Return empties it.
      #expect(lines.last?.hasPrefix("18 changes shown by ") == true, "\(lines)")
    }
  }

  @Test("a note that is added just before the end is saved, and nothing is shown after it")
  func end() throws {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("notes-\(UUID().uuidString).txt")
    defer { try? FileManager.default.removeItem(at: file) }
    for round in 1...5 {
      let screen = try Screen()
      _ = try screen.run("gtk-notes", [file.path], window: "Notes")
      // The keys of one call come together: the end, while there is a line to be shown.
      try screen.xdotool("key", "--delay", "0", "a", "Return", "b", "Escape")
      let output = try screen.finish()
      #expect(output.lines.first == "\(round) notes, \(round) saved")
      #expect(output.code == 0)
      let saved = try? String(contentsOf: file, encoding: .utf8)
      #expect(saved == String(repeating: "a\n", count: round))
    }
  }

  @Test("notes that can not be saved are told of at the end")
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

  @Test("lines may end as on another system; what is no text is refused, and left as it is")
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

  @Test("the paddle follows the keys, and a frame and keys of one tick are drawn once")
  func pong() throws {
    let screen = try Screen()
    let window = try screen.run("sdl-pong", window: "Pong")
    try screen.xdotool("key", "--delay", "1", "Down", "Down", "Down", "Up")
    #expect(inTime { (try? screen.colours(of: window)) ?? 0 >= 4 })
    try screen.xdotool("key", "Escape")
    let lines = try screen.finish().lines
    try #require(lines.count == 4)
    let figures = lines[2].split(separator: " ").compactMap { Int($0) }
    // A draw for each change at most, and one key ends the program.
    try #require(figures.count == 2)
    #expect(figures[1] <= figures[0] && figures[1] > 10, "\(lines)")
    #expect(lines[3].hasSuffix("paddle at 160"), "\(lines)")
  }

  /// Whether `isMet` becomes true within 10 s. What a window system does is not told.
  private func inTime(_ isMet: () -> Bool) -> Bool {
    let end = Date().addingTimeInterval(10)
    while Date() < end {
      if isMet() { return true }
      _ = RunLoop.current.run(mode: .default, before: Date().addingTimeInterval(0.02))
    }
    return false
  }
}
