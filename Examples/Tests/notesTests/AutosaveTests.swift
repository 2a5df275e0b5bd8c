import Foundation
import LoopTransactions
import LoopTransactionsTesting
import NotesModel
import Testing

@Suite("Autosave")
struct AutosaveTests {
  @Test("a burst of edits is saved by one operation, 0.5 s after the last edit")
  func burst() throws {
    let lab = try NotesLab()
    defer { lab.close() }
    let id = lab.notes.create(at: 0)
    for count in 1...10 {
      lab.notes.edit(id, String(repeating: "x", count: count))
      lab.wait(.milliseconds(100))
    }
    lab.wait(.milliseconds(390))
    #expect(lab.notes.autosave.state == .waiting)
    #expect(try lab.saved == [])
    lab.wait(.milliseconds(10))
    #expect(lab.notes.autosave.state == .saved)
    #expect(try lab.saved == ["xxxxxxxxxx"])
    #expect(lab.notes.autosave.saves == 1 && lab.notes.autosave.files == 1)
    lab.wait(.seconds(60))
    #expect(lab.notes.autosave.saves == 1)
  }

  @Test("typing without a pause is saved every 5 s")
  func longTyping() throws {
    let lab = try NotesLab()
    defer { lab.close() }
    let id = lab.notes.create(at: 0)
    lab.stepped.runUntilIdle()
    for count in 1...100 {
      lab.notes.edit(id, "\(count)")
      lab.wait(.milliseconds(100))
    }
    #expect((1...2).contains(lab.notes.autosave.saves), "\(lab.notes.autosave.saves)")
    lab.wait(.seconds(1))
    #expect(try lab.saved == ["100"])
  }

  @Test("only files with changes are written")
  func files() throws {
    let lab = try NotesLab(texts: (0..<2500).map { "\($0)" })
    defer { lab.close() }
    lab.notes.edit(0, "first")
    lab.notes.edit(2400, "last")
    lab.notes.edit(1, "second")
    lab.wait(.seconds(1))
    #expect(lab.notes.autosave.saves == 1 && lab.notes.autosave.files == 2)
    let saved = try lab.saved
    #expect(saved.count == 2500 && saved[0] == "first" && saved[1] == "second")
    #expect(saved[2400] == "last")
  }

  @Test("a save that fails is retried until it succeeds, and the reason is shown")
  func retries() throws {
    let lab = try NotesLab(texts: ["old"])
    defer { lab.close() }
    let away = lab.folder.path + "-away"
    try FileManager.default.moveItem(atPath: lab.folder.path, toPath: away)
    lab.notes.edit(0, "new")
    lab.wait(.milliseconds(600))
    guard case .failed(let reason) = lab.notes.autosave.state else {
      Issue.record("\(lab.notes.autosave.state)")
      return
    }
    #expect(reason.contains("No such file or directory"), "\(reason)")
    // An edit does not hide the reason.
    lab.notes.edit(0, "newer")
    lab.wait(.milliseconds(100))
    #expect(lab.notes.autosave.state == .failed(reason))
    lab.wait(.seconds(2))
    #expect(lab.notes.autosave.state == .failed(reason) && lab.notes.autosave.hasChanges)
    try FileManager.default.moveItem(atPath: away, toPath: lab.folder.path)
    lab.wait(.seconds(30))
    #expect(lab.notes.autosave.state == .saved && !lab.notes.autosave.hasChanges)
    #expect(try lab.saved == ["newer"])
  }

  @Test("flush saves at once, with the edits made while an earlier save runs")
  func flush() throws {
    let lab = try NotesLab()
    defer { lab.close() }
    let id = lab.notes.create(at: 0)
    var answers: [Bool] = []
    lab.notes.autosave.flush { answers.append($0) }
    lab.notes.edit(id, "during")
    lab.notes.autosave.flush { answers.append($0) }
    lab.stepped.runUntilIdle()
    #expect(answers == [true, true])
    #expect(try lab.saved == ["during"])
    lab.notes.autosave.flush { answers.append($0) }
    #expect(answers.count == 3 && lab.notes.autosave.saves == 2)
  }

  @Test("flush reports that the notes cannot be saved")
  func failedFlush() throws {
    let lab = try NotesLab()
    defer { lab.close() }
    _ = lab.notes.create(at: 0)
    try FileManager.default.removeItem(atPath: lab.folder.path)
    var answers: [Bool] = []
    lab.notes.autosave.flush { answers.append($0) }
    lab.stepped.runUntilIdle()
    #expect(answers == [false] && lab.notes.autosave.hasChanges)
  }
}
