import NotesModel
import Testing

@Suite("Notebook")
struct NotebookTests {
  @Test("notes are found by identifier after insertions, replacements and removals")
  func changes() {
    var notebook = Notebook()
    var expected: [Int: String] = [:]
    var state: UInt64 = 7
    for step in 0..<4000 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let id = Int(state >> 33) % 2500
      let text = step % 3 == 0 ? nil : "\(step)"
      notebook[id] = text.map { Note(id: id, created: step, text: $0) }
      expected[id] = text
    }
    #expect(notebook.count == expected.count)
    #expect(notebook.ids == expected.keys.sorted())
    for id in -1...2600 { #expect(notebook[id]?.text == expected[id]) }
  }

  @Test("the identifier of a deleted note is not used for a new one")
  func identifiers() {
    var notebook = Notebook()
    _ = notebook.append(Draft(created: 0, text: "a"))
    let last = notebook.append(Draft(created: 0, text: "b"))
    notebook[last] = nil
    #expect(notebook.append(Draft(created: 0, text: "c")) == last + 1)
  }

  @Test("a copy does not change with the notebook")
  func copies() {
    var notebook = Notebook()
    let id = notebook.append(Draft(created: 0, text: "before"))
    let copy = notebook
    notebook[id] = notebook[id]?.with("after")
    #expect(copy[id]?.text == "before" && notebook[id]?.text == "after")
  }

  @Test("the title and the preview are the first two lines with text")
  func titles() {
    func lines(_ text: String) -> [String] {
      let note = Note(id: 0, created: 0, text: text)
      return [note.title, note.lines.preview]
    }
    #expect(lines("") == ["New Note", ""])
    #expect(lines(" \n\t\n") == ["New Note", ""])
    #expect(lines("\n  one \r\n\r\n two\nthree") == ["one ", "two"])
    #expect(lines(String(repeating: "x", count: 5000))[0].count == 200)
    // A character is not cut: the rest of its bytes is replaced.
    #expect(lines("\(String(repeating: "x", count: 199))é")[0].last == "\u{FFFD}")
  }
}
