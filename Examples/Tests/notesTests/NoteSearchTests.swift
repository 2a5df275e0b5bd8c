import LoopTransactions
import LoopTransactionsTesting
import NotesModel
import Testing

@Suite("NoteSearch")
struct NoteSearchTests {
  private func drafts(_ count: Int) -> [Draft] {
    (0..<count).map { SampleNotes.draft($0, of: count, before: 1_000_000_000) }
  }

  @Test("workers find the same notes as a plain filter, in any order", arguments: 1...8)
  func results(seed: UInt64) throws {
    let lab = try NotesLab(seed: seed)
    defer { lab.close() }
    lab.notes.append(drafts(9000))
    let all = lab.listed
    for text in ["ada", "LISBON grace", "no. 8", "ladder cellar", "zzz", "é", " ", ""] {
      lab.notes.find(text)
      lab.stepped.runUntilIdle()
      let words = text.lowercased().split(separator: " ")
      let expected = all.filter { note in
        words.allSatisfy { note.lowercased().contains($0) }
      }
      let isEqual = lab.listed == expected
      #expect(isEqual, "\(text): \(lab.listed.count), expected \(expected.count)")
    }
  }

  @Test("a newer search makes the older one stale: none of its results are listed")
  func stale() throws {
    let lab = try NotesLab()
    defer { lab.close() }
    lab.notes.append(drafts(9000))
    lab.notes.find("grace")
    lab.workers.step()
    lab.stepped.step()
    lab.notes.find("gra")
    lab.notes.find("zzz")
    #expect(lab.notes.isSearching)
    lab.stepped.runUntilIdle()
    #expect(lab.notes.listed == [] && !lab.notes.isSearching)
  }

  @Test("the old results stay until the first new ones arrive")
  func earlier() throws {
    let lab = try NotesLab()
    defer { lab.close() }
    lab.notes.append(drafts(9000))
    lab.notes.find("grace")
    #expect(lab.notes.listed.count == 9000)
    lab.stepped.runUntilIdle()
    let found = lab.notes.listed
    lab.notes.find("grac")
    let isUnchanged = lab.notes.listed == found
    #expect(isUnchanged)
  }

  @Test("notes that are added, deleted or restored during a search are listed correctly")
  func changes() throws {
    let lab = try NotesLab(texts: (0..<9000).map { $0 % 2 == 0 ? "even \($0)" : "odd \($0)" })
    defer { lab.close() }
    lab.notes.find("even")
    lab.workers.step()
    lab.stepped.step()
    lab.notes.delete(10)
    lab.notes.delete(8998)
    lab.notes.append([Draft(created: 0, text: "an EVEN one"), Draft(created: 0, text: "odd")])
    #expect(lab.notes.undo() == 8998)
    lab.stepped.runUntilIdle()
    let all = lab.notes.notebook.ids.compactMap { lab.notes[$0]?.text }
    #expect(all.count == 9001)
    let isEqual = lab.listed == all.filter { $0.lowercased().contains("even") }
    #expect(isEqual)
    #expect(lab.notes.undo() == 10)
    #expect(lab.notes.listed.prefix(7) == [0, 2, 4, 6, 8, 10, 12])
  }

  @Test("a note that was deleted during the search is not listed")
  func deleted() throws {
    let lab = try NotesLab(texts: (0..<9000).map { "even \($0)" })
    defer { lab.close() }
    lab.notes.find("even")
    lab.workers.step()
    lab.stepped.step()
    for id in [10, 8998] { lab.notes.delete(id) }
    #expect(lab.notes.isSearching)
    lab.stepped.runUntilIdle()
    #expect(lab.notes.listed.count == 8998 && lab.listed.first { $0.hasSuffix(" 10") } == nil)
  }

  @Test("a search of 100,000 notes is delivered within the budget: a batch per part at most")
  func batches() throws {
    let lab = try NotesLab()
    defer { lab.close() }
    lab.notes.append(drafts(100_000))
    lab.stepped.runUntilIdle()
    var batches = 0
    let search = NoteSearch(on: lab.stepped.loop, scheduler: lab.workers.scheduler)
    // One piece of each kind of work per tick.
    lab.stepped.loop.budget = EventLoop.Budget(count: 1)
    search.start(Query("lisbon"), in: lab.notes.notebook) { ids in
      batches += 1
      #expect(ids == ids.sorted(by: >))
    }
    let before = lab.stepped.loop.metrics.carriedOver
    lab.stepped.runUntilIdle()
    #expect(batches == 25 && !search.isRunning)
    #expect(lab.stepped.loop.metrics.carriedOver > before)
  }
}
