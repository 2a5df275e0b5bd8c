import Foundation
import LoopTransactions
import LoopTransactionsTesting
import NotesModel
import Testing

@Suite("Notes")
struct NotesTests {
  @Test("undo restores edited, new and deleted notes, and redo repeats the changes")
  func undo() throws {
    let lab = try NotesLab(texts: ["one", "two", "three"])
    defer { lab.close() }
    let before = lab.listed
    lab.notes.edit(1, "two!")
    let id = lab.notes.create(at: 5)
    lab.notes.edit(id, "four")
    lab.notes.delete(0)
    let after = lab.listed
    #expect(after == ["two!", "three", "four"])
    while lab.notes.undo() != nil {}
    #expect(lab.listed == before && !lab.notes.canUndo && lab.notes.canRedo)
    while lab.notes.redo() != nil {}
    #expect(lab.listed == after && lab.notes.canUndo && !lab.notes.canRedo)
    #expect(lab.notes.count == 3)
    lab.wait(.seconds(1))
    #expect(try lab.saved == after)
  }

  @Test("the next run has the notes of the last one")
  func nextRun() throws {
    let texts = (0..<3210).map { "note \($0)" }
    let lab = try NotesLab(texts: texts)
    defer { lab.close() }
    #expect(lab.listed == texts && lab.notes.count == 3210)
    #expect(lab.notes.create(at: 0) == 3210)
  }

  @Test("workers add notes in order, within the budget, while notes are edited")
  func feed() throws {
    let lab = try NotesLab(seed: 3)
    defer { lab.close() }
    let first = lab.notes.create(at: 0)
    lab.stepped.loop.budget = EventLoop.Budget(count: 2)
    lab.notes.feed(2050, perSecond: nil, at: 0)
    var ticks = 0
    while lab.notes.count < 2051, ticks < 10_000 {
      lab.workers.step()
      lab.stepped.step()
      lab.notes.edit(first, "\(ticks)")
      ticks += 1
    }
    // Two parts of 100 notes per tick at most.
    #expect(ticks > 10)
    let numbers = lab.listed.dropFirst().compactMap { text in
      text.split(separator: "\n")[1].split(separator: " ").last.flatMap { Int($0) }
    }
    // Not one expectation of two arrays, whose failure prints both.
    let isInOrder = numbers == Array(1...2050)
    #expect(isInOrder, "\(numbers.count) numbers")
  }

  @Test("a rate limits how fast notes are added")
  func rate() throws {
    let lab = try NotesLab()
    defer { lab.close() }
    lab.notes.feed(1000, perSecond: 200, at: 0)
    lab.wait(.milliseconds(400))
    #expect(lab.notes.count == 100)
    lab.wait(.milliseconds(2200))
    #expect(lab.notes.count == 600)
    lab.notes.stopFeed()
    lab.wait(.seconds(10))
    #expect(lab.notes.count == 600)
  }

  @Test("no note is added once the feed was stopped, also if a worker has made it")
  func stop() throws {
    let lab = try NotesLab()
    defer { lab.close() }
    lab.notes.feed(1000, perSecond: nil, at: 0)
    while lab.workers.step() {}
    lab.notes.stopFeed()
    lab.stepped.runUntilIdle()
    #expect(lab.notes.count == 0 && !lab.notes.autosave.hasChanges)
  }

  @Test("a damaged file is reported, and the notes cannot be overwritten")
  func damaged() throws {
    let folder = NotesFolder()
    try folder.write(["a"])
    let path = "\(folder.path)/notes-00000.txt"
    try "not notes".write(toFile: path, atomically: true, encoding: .utf8)
    let loop = try EventLoop()
    let notes = Notes(try NoteStore(folder: folder.path), on: loop, scheduler: .shared)
    notes.load()
    while notes.phase == .loading { loop.run(.once) }
    #expect(notes.phase == .failed("'\(path)' is damaged; move it away to open the other notes"))
    try loop.close()
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "not notes")
  }
}
