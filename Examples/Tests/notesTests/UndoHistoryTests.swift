import NotesModel
import Testing

@Suite("UndoHistory")
struct UndoHistoryTests {
  private func note(_ text: String, id: Int = 0) -> Note { Note(id: id, created: 0, text: text) }

  /// Records the typing of `texts`, each from the one before.
  private func typed(_ texts: [String]) -> UndoHistory {
    var history = UndoHistory()
    for (old, new) in zip(texts, texts.dropFirst()) {
      history.record(id: 0, before: note(old), after: note(new))
    }
    return history
  }

  private func undone(_ history: UndoHistory) -> [String?] {
    var history = history
    var texts: [String?] = []
    while let change = history.undo() { texts.append(change.after?.text) }
    return texts
  }

  @Test("typing is undone a word at a time, and deleting is another change")
  func words() {
    let texts = ["", "a", "ab", "ab ", "ab c", "ab cd", "ab c", "ab "]
    #expect(undone(typed(texts)) == ["ab cd", "ab ", ""])
  }

  @Test("edits join only edits of the same note, which end where the next one begins")
  func joins() {
    var history = typed(["", "a"])
    history.record(id: 1, before: note("", id: 1), after: note("b", id: 1))
    history.record(id: 0, before: note("a"), after: note("ac"))
    #expect(undone(history) == ["a", "", ""])
    history = typed(["", "a"])
    history.close()
    history.record(id: 0, before: note("a"), after: note("ab"))
    #expect(undone(history) == ["a", ""])
  }

  @Test("undo and redo alternate, and a new change ends redo")
  func redo() {
    var history = UndoHistory()
    history.record(id: 0, before: nil, after: note("a"))
    history.record(id: 0, before: note("a"), after: nil)
    #expect(history.undo()?.after?.text == "a")
    let made = history.undo()
    #expect(made?.id == 0 && made?.after == nil && !history.canUndo && history.undo() == nil)
    #expect(history.redo()?.after?.text == "a")
    #expect(history.canUndo && history.canRedo)
    history.record(id: 0, before: note("a"), after: note("b"))
    #expect(!history.canRedo && history.redo() == nil)
    #expect(undone(history) == ["a", nil])
  }

  @Test("the history keeps the last 1,000 changes")
  func limit() {
    var history = UndoHistory()
    for id in 0..<1500 { history.record(id: id, before: nil, after: note("", id: id)) }
    var ids: [Int] = []
    while let change = history.undo() { ids.append(change.id) }
    #expect(ids == (500..<1500).reversed())
  }

  @Test("a text edit is the smallest differing part, counted in Unicode scalars")
  func edits() {
    func edit(_ old: String, _ new: String) -> String {
      let edit = TextEdit(from: old, to: new)
      return "\(edit.position)-\(edit.removed)+\(edit.inserted)"
    }
    #expect(edit("", "") == "0-0+")
    #expect(edit("abc", "abc") == "3-0+")
    #expect(edit("ab", "aab") == "1-0+a")
    #expect(edit("aab", "ab") == "1-1+")
    #expect(edit("one two", "one, two") == "3-0+,")
    #expect(edit("e\u{301}x", "ex") == "1-1+")
    #expect(edit("a", "b") == "0-1+b")
  }

  // The letters share their first or their last byte.
  @Test("a text edit does not split a scalar")
  func scalars() {
    var texts = [""]
    for _ in 0..<3 { texts += texts.flatMap { text in ["a", "é", "è", "ĩ"].map { text + $0 } } }
    texts = Array(Set(texts))
    for old in texts {
      for new in texts {
        let edit = TextEdit(from: old, to: new)
        let (before, after) = (Array(old.unicodeScalars), Array(new.unicodeScalars))
        let shorter = min(before.count, after.count)
        var (start, end) = (0, 0)
        while start < shorter, before[start] == after[start] { start += 1 }
        while end < shorter - start, before.suffix(end + 1) == after.suffix(end + 1) { end += 1 }
        let inserted = after[start..<(after.count - end)]
        #expect(edit.position == start, "\(old) to \(new)")
        #expect(edit.removed == before.count - start - end, "\(old) to \(new)")
        #expect(Array(edit.inserted.unicodeScalars) == Array(inserted), "\(old) to \(new)")
      }
    }
  }
}
