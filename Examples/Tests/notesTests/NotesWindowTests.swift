import Foundation
import NotesModel
import Testing

/// Runs the program under Xvfb, and types.
@Suite("Notes window", .serialized)
struct NotesWindowTests {
  private let folder = NotesFolder()

  @Test("typed notes are saved, and loaded by the next run")
  func notes() throws {
    for round in 1...2 {
      let screen = try Screen()
      let window = try screen.run("gtk-notes", [folder.path, "--report"], window: "Notes")
      for text in ["buy milk", "call Ada"] {
        try screen.xdotool("key", "ctrl+n")
        try screen.xdotool("type", "--delay", "1", text)
      }
      // Antialiased text has many colours. An empty window has few.
      #expect(inTime { (try? screen.colours(of: window)) ?? 0 > 60 })
      try screen.xdotool("key", "ctrl+q")
      let output = try screen.finish()
      #expect(output.code == 0, "\(output.errors)")
      let texts = Array(repeating: ["buy milk", "call Ada"], count: round).flatMap { $0 }
      #expect(try folder.texts == texts)
      #expect(output.lines.first?.hasPrefix("\(2 * round) notes") == true, "\(output.lines)")
    }
  }

  @Test("a key just before the window closes is saved, also if a signal closes it")
  func end() throws {
    for ending in 1...6 {
      let screen = try Screen()
      _ = try screen.run("gtk-notes", [folder.path], window: "Notes")
      if ending % 2 == 0 {
        try screen.xdotool("key", "--delay", "0", "ctrl+n", "a", "b", "ctrl+q")
      } else {
        // The keys have arrived when the list has a row, and "saving" may be pending.
        try screen.xdotool("key", "--delay", "0", "ctrl+n", "a", "b", "ctrl+s", "c")
        #expect(inTime { Self.hasFile(folder) })
        try screen.signal(SIGTERM)
      }
      let output = try screen.finish()
      #expect(output.code == 0, "\(output.errors)")
      #expect(try folder.saved().count == ending)
      // The signal may come before the last key, but no key before it is lost.
      let text = try folder.texts.last
      #expect(text?.hasPrefix("ab") == true, "\(text ?? "none")")
    }
  }

  @Test("undo restores a deleted note and removes a typed word, and redo repeats both")
  func undo() throws {
    try folder.write(["first", "second", "third"])
    let screen = try Screen()
    _ = try screen.run("gtk-notes", [folder.path], window: "Notes")
    func saved(_ keys: [String], _ expected: String...) throws {
      for key in keys { try screen.xdotool("key", key) }
      try screen.xdotool("key", "ctrl+s")
      #expect(inTime { (try? texts(in: folder)) == expected }, "\(keys)")
    }
    // The newest note is at the top.
    try saved(["Escape", "Delete"], "first", "second")
    try saved(["ctrl+z"], "first", "second", "third")
    try saved(["Return", "n", "e", "w"], "first", "second", "newthird")
    // Undo and redo have an effect before the next frame enables their buttons.
    try screen.xdotool("key", "--delay", "0", "ctrl+z", "ctrl+shift+z", "ctrl+z")
    try saved([], "first", "second", "third")
    try screen.xdotool("key", "--delay", "0", "ctrl+shift+z", "ctrl+z", "ctrl+shift+z", "ctrl+q")
    let output = try screen.finish()
    #expect(output.code == 0, "\(output.errors)")
    #expect(try folder.texts == ["first", "second", "newthird"])
  }

  @Test("100,000 notes need few rows, each text is set once per frame, and a burst is saved once")
  func counts() throws {
    try folder.write((0..<100_000).map { "note \($0)\nwith a second line" })
    let screen = try Screen()
    _ = try screen.run("gtk-notes", [folder.path, "--report"], window: "Notes")
    try screen.xdotool("key", "--delay", "1", "Escape", "Page_Down", "Page_Down", "End", "Home")
    try screen.xdotool("key", "Return")
    let word = String(repeating: "x", count: 60)
    try screen.xdotool("type", "--delay", "1", word)
    try screen.xdotool("key", "ctrl+q")
    let output = try screen.finish()
    #expect(output.code == 0, "\(output.errors)")
    let report = Report(output.lines)
    #expect(report["notes"] == 100_000)
    // GTK keeps up to 200 rows beside the visible ones, twice while it scrolls far.
    #expect(report["rows made"].map { $0 < 500 } == true, "\(output.lines)")
    #expect(report["shown"].map { $0 < 500 } == true, "\(output.lines)")
    #expect(report["changes"] == 60)
    let (edits, frames) = (report["edits"] ?? .max, report["frames"] ?? 0)
    #expect(edits <= 60, "\(output.lines)")
    #expect(report["refreshed"].map { $0 <= min(edits, frames) } == true, "\(output.lines)")
    // A machine that is busy for longer than the delay of the save makes another one.
    #expect(report["saves"].map { $0 >= 1 && $0 <= 3 } == true, "\(output.lines)")
    #expect(report["files"] == report["saves"])
    #expect(try folder.texts.last == "\(word)note 99999\nwith a second line")
  }

  @Test("each drawn row shows its note, while the list is scrolled, searched and grows")
  func drawnRows() throws {
    try folder.write((0..<3000).map { "note \($0)\nwith a second line" })
    let screen = try Screen()
    let arguments = [folder.path, "--feed", "10000", "--rate", "2000", "--report"]
    let window = try screen.run("gtk-notes", arguments, window: "Notes")
    try screen.xdotool("key", "--delay", "20", "Escape", "Page_Down", "Page_Down", "End", "Home")
    try screen.xdotool("mousemove", "--window", window, "150", "250")
    try screen.xdotool("click", "--repeat", "30", "--delay", "10", "5")
    for word in ["lisbon", "zzz", "note 29", "note"] {
      try screen.xdotool("key", "ctrl+f", "ctrl+a")
      try screen.xdotool("type", "--delay", "30", word)
      try screen.xdotool("key", "--delay", "20", "Down", "Page_Down", "End")
    }
    try screen.xdotool("key", "--delay", "20", "Escape", "Delete", "ctrl+z", "ctrl+q")
    let output = try screen.finish()
    #expect(output.code == 0, "\(output.errors)")
    let report = Report(output.lines)
    let (bound, filled) = (report["bound"] ?? 0, report["filled"] ?? .max)
    #expect(report["outdated"] == 0, "\(output.lines)")
    // GTK binds about 200 rows, and fewer than 20 are visible.
    #expect(filled > 0 && filled < bound / 2, "\(output.lines)")
  }

  @Test("a search uses the rows that exist, also if the list was scrolled far")
  func rowsOfSearch() throws {
    // The first letter of the search finds all but the last 100 notes of the list.
    try folder.write((0..<3000).map { $0 < 100 ? "odd \($0)" : "even \($0)" })
    let screen = try Screen()
    _ = try screen.run("gtk-notes", [folder.path, "--report"], window: "Notes")
    // The list grows over frames, so the first keys may find a short one.
    for _ in 0..<8 { try screen.xdotool("key", "--delay", "200", "Escape", "End") }
    try screen.xdotool("key", "ctrl+f")
    try screen.xdotool("type", "--delay", "100", "even")
    try screen.xdotool("key", "--delay", "200", "Down", "ctrl+q")
    let output = try screen.finish()
    #expect(output.code == 0, "\(output.errors)")
    let report = Report(output.lines)
    // GTK has 206 rows. If it removed 100 of them, it would make 100 others.
    #expect(report["rows made"].map { $0 < 230 } == true, "\(output.lines)")
  }

  @Test("notes that workers add while the user searches are all saved")
  func feed() throws {
    let screen = try Screen()
    let arguments = [folder.path, "--feed", "20000", "--report"]
    _ = try screen.run("gtk-notes", arguments, window: "Notes")
    try screen.xdotool("key", "ctrl+f")
    try screen.xdotool("type", "--delay", "1", "lisbon")
    #expect(inTime { Self.hasFile(folder, "notes-00019.txt") })
    try screen.xdotool("key", "ctrl+q")
    let output = try screen.finish()
    #expect(output.code == 0, "\(output.errors)")
    #expect(try folder.saved().count == Report(output.lines)["notes"])
    #expect(try folder.texts.allSatisfy { $0.contains("no. ") })
  }

  @Test("notes that cannot be saved keep the window open, and closing it again exits with 1")
  func unsaved() throws {
    let screen = try Screen()
    _ = try screen.run("gtk-notes", [folder.path], window: "Notes")
    try FileManager.default.removeItem(atPath: folder.path)
    try screen.xdotool("key", "--delay", "1", "ctrl+n", "a", "ctrl+q")
    // The window is still there.
    #expect(inTime { (try? screen.xdotool("search", "--name", "^Notes$")) != nil })
    var output: TestProgram.Output?
    // Closing has an effect once the save has failed.
    let ended = inTime {
      _ = try? screen.xdotool("key", "ctrl+q")
      guard (try? screen.isRunning) != true else { return false }
      output = try? screen.finish()
      return true
    }
    #expect(ended && output?.code == 1)
    #expect(output?.errors.hasPrefix("gtk-notes: not all notes are saved") == true)
  }

  @Test("the choice of a dark window is remembered")
  func appearance() throws {
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    var darkness: [Int] = []
    for choice in ["light", "dark"] {
      try "\(choice)\n".write(
        toFile: "\(folder.path)/appearance",
        atomically: true,
        encoding: .utf8
      )
      let screen = try Screen()
      let window = try screen.run("gtk-notes", [folder.path], window: "Notes")
      #expect(inTime { (try? screen.colours(of: window)) ?? 0 > 10 })
      darkness.append(try screen.brightness(of: window))
      try screen.xdotool("key", "ctrl+q")
      #expect(try screen.finish().code == 0)
    }
    #expect(darkness[0] > 180 && darkness[1] < 90, "\(darkness)")
  }

  @Test("a folder that is open, a damaged file, wrong options and no display are refused")
  func refusals() throws {
    func run(_ arguments: [String], _ changes: [String: String?] = [:]) throws -> String {
      let program = TestProgram.built("gtk-notes")
      let output = try TestProgram.run(program, arguments, environment: changes)
      return "\(output.code) \(output.lines.first ?? output.errors)"
    }
    let none: [String: String?] = ["DISPLAY": nil, "WAYLAND_DISPLAY": nil]
    #expect(try run(["--help"]).hasPrefix("0 usage: gtk-notes [FOLDER]"))
    #expect(try run(["--feed", "0"]).hasPrefix("2 gtk-notes: --feed must be from 1 to 1000000"))
    #expect(try run(["--loud"]).hasPrefix("2 gtk-notes: unknown option '--loud'"))
    #expect(try run(["a", "b"]).hasPrefix("2 gtk-notes: expected one folder, got 2"))
    #expect(try run([folder.path], none).hasPrefix("1 gtk-notes: cannot open the display"))

    try folder.write(["a"])
    let store = try NoteStore(folder: folder.path)
    let screen = try Screen()
    try screen.start("gtk-notes", [folder.path])
    let output = try screen.finish()
    #expect(output.code == 1 && output.errors.contains("another gtk-notes"), "\(output.errors)")
    withExtendedLifetime(store) {}
  }

  /// The texts in the file of notes, which a program may have open.
  private func texts(in folder: NotesFolder) throws -> [String] {
    let path = "\(folder.path)/notes-00000.txt"
    let text = try String(contentsOfFile: path, encoding: .utf8)
    return text.split(separator: "\n").dropFirst().filter { !$0.hasPrefix("note ") }.map(
      String.init
    )
  }

  private static func hasFile(_ folder: NotesFolder, _ name: String = "notes-00000.txt") -> Bool {
    FileManager.default.fileExists(atPath: "\(folder.path)/\(name)")
  }
}

/// The numbers that `--report` prints: each with the word behind it.
struct Report {
  private var numbers: [String: Int] = [:]

  init(_ lines: [String]) {
    for line in lines {
      for part in line.replacing("at most ", with: "").replacing("of ", with: ", ")
        .split(separator: ",")
      {
        let words = part.split(separator: " ", maxSplits: 1)
        if let number = words.first.flatMap({ Int($0) }), words.count == 2 {
          numbers[String(words[1]).trimmingCharacters(in: .whitespaces)] = number
        } else if part.hasPrefix("frames: ") {
          numbers["frames"] = Int(part.dropFirst(8))
        }
      }
    }
  }

  subscript(name: String) -> Int? { numbers[name] }
}

/// Polls until `isMet` returns true, at most for 20 s. The window system does not report when
/// it has drawn.
private func inTime(_ isMet: () -> Bool) -> Bool {
  let end = Date().addingTimeInterval(20)
  while Date() < end {
    if isMet() { return true }
    _ = RunLoop.current.run(mode: .default, before: Date().addingTimeInterval(0.02))
  }
  return false
}
