import Foundation
import LoopTransactions
import LoopTransactionsTesting
import NotesModel
import Testing

/// A folder of notes, which is removed with the object.
final class NotesFolder {
  let path = FileManager.default.temporaryDirectory
    .appendingPathComponent("notes-\(UUID().uuidString)").path

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The notes in the files. Fails if a program has the folder open.
  func saved() throws -> [Note] {
    let store = try NoteStore(folder: path)
    return try store.shards().flatMap { try store.read(shard: $0) }
  }

  var texts: [String] { get throws { try saved().map(\.text) } }

  /// Writes notes with the given texts, the oldest first.
  func write(_ texts: [String]) throws {
    let store = try NoteStore(folder: path)
    var notebook = Notebook()
    for text in texts { _ = notebook.append(Draft(created: 0, text: text)) }
    for (number, notes) in notebook.shards.enumerated() {
      try store.write(notes, shard: number)
    }
  }
}

/// Notes on a stepped loop with a virtual clock.
final class NotesLab {
  let folder = NotesFolder()
  let stepped: SteppedLoop
  let workers: SteppedScheduler
  let store: NoteStore
  let notes: Notes

  init(seed: UInt64 = 1, texts: [String] = []) throws {
    if !texts.isEmpty { try folder.write(texts) }
    stepped = try SteppedLoop(seed: seed)
    workers = SteppedScheduler(on: stepped)
    store = try NoteStore(folder: folder.path)
    notes = Notes(store, on: stepped.loop, scheduler: workers.scheduler)
    notes.load()
    stepped.runUntilIdle()
    #expect(notes.phase == .ready)
  }

  func close() { #expect(throws: Never.self) { try stepped.close() } }

  /// The texts in the files.
  var saved: [String] {
    get throws { try store.shards().flatMap { try store.read(shard: $0) }.map(\.text) }
  }

  /// The texts of the listed notes, the oldest first.
  var listed: [String] { notes.listed.compactMap { notes[$0]?.text } }

  func wait(_ time: Duration) {
    stepped.advance(by: time)
    stepped.runUntilIdle()
  }
}
