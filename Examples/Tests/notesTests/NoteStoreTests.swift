import Foundation
import NotesModel
import Testing

@Suite("NoteStore")
struct NoteStoreTests {
  private let folder = NotesFolder()

  private func note(_ id: Int, _ text: String) -> Note { Note(id: id, created: id, text: text) }

  private func file(_ name: String) -> URL { URL(fileURLWithPath: "\(folder.path)/\(name)") }

  @Test("every text is read as it was written")
  func roundTrip() throws {
    let texts = ["", "\n", "a\r\nb", "note 1 2 3\n", "e\u{301}\u{1F468}\u{200D}\u{1F469}", "\0"]
    let notes = texts.enumerated().map { note(3000 + $0.offset, $0.element) }
    let store = try NoteStore(folder: folder.path)
    try store.write(notes, shard: 3)
    try store.sync()
    #expect(try store.shards() == [3])
    let read = try store.read(shard: 3)
    #expect(read.map { Array($0.text.unicodeScalars) } == texts.map { Array($0.unicodeScalars) })
    #expect(read.map(\.created) == notes.map(\.created))
  }

  @Test("a file without notes is removed, also if there is none")
  func empty() throws {
    let store = try NoteStore(folder: folder.path)
    try store.write([note(0, "a")], shard: 0)
    for _ in 1...2 { try store.write([], shard: 0) }
    #expect(try store.shards() == [])
  }

  @Test("a file that was cut off, changed or made by others is refused")
  func damaged() throws {
    let store = try NoteStore(folder: folder.path)
    try store.write([note(0, "first"), note(1, "second")], shard: 0)
    let url = file("notes-00000.txt")
    let whole = try Data(contentsOf: url)
    let boundaries = [12, 12 + 11 + 6, whole.count]
    for length in 0..<whole.count where !boundaries.contains(length) {
      try whole.prefix(length).write(to: url)
      #expect(throws: NoteStore.Failure.self, "\(length) bytes") { try store.read(shard: 0) }
    }
    for text in [
      "gtk-notes 1\nnote 0 0 9223372036854775807\na\n", "gtk-notes 1\nnote 1000 0 1\na\n",
      "gtk-notes 1\nnote 0 0 1\na\nnote 0 0 1\nb\n", "gtk-notes 1\nnote 0 0 -1\n\n",
      "gtk-notes 2\nnote 0 0 1\na\n",
    ] {
      try text.write(to: url, atomically: true, encoding: .utf8)
      #expect(throws: NoteStore.Failure.self, "\(text)") { try store.read(shard: 0) }
    }
    try Data("gtk-notes 1\nnote 0 0 1\n".utf8 + [0xFF, 0x0A]).write(to: url)
    #expect(throws: NoteStore.Failure.self) { try store.read(shard: 0) }
  }

  @Test("a full disk is reported, and the old file stays")
  func fullDisk() throws {
    let store = try NoteStore(folder: folder.path)
    try store.write([note(0, "old")], shard: 0)
    // A device that has no space left, in the place of the unfinished file.
    let unfinished = file("notes-00000.txt.tmp").path
    try FileManager.default.createSymbolicLink(
      atPath: unfinished,
      withDestinationPath: "/dev/full"
    )
    let failure = #expect(throws: NoteStore.Failure.self) {
      try store.write([note(0, "new")], shard: 0)
    }
    #expect(failure?.description.hasSuffix("No space left on device") == true)
    #expect(try store.read(shard: 0).map(\.text) == ["old"])
    try store.write([note(0, "new")], shard: 0)
    #expect(try store.read(shard: 0).map(\.text) == ["new"])
  }

  @Test("an unfinished file of a process that crashed is removed")
  func unfinished() throws {
    let store = try NoteStore(folder: folder.path)
    try store.write([note(0, "a")], shard: 0)
    for name in ["notes-00000.txt.tmp", "notes-00007.txt.tmp", "other.tmp", "notes-1.txt"] {
      try Data("gtk-no".utf8).write(to: file(name))
    }
    #expect(try store.shards() == [0])
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(names == ["lock", "notes-00000.txt", "notes-1.txt", "other.tmp"])
  }

  @Test("a folder that is open cannot be opened again")
  func lock() throws {
    var store: NoteStore? = try NoteStore(folder: folder.path)
    #expect(throws: NoteStore.Failure.self) { try NoteStore(folder: folder.path) }
    #expect(try store?.shards() == [])
    store = nil
    _ = try NoteStore(folder: folder.path)
  }

  @Test("a folder that cannot be made is an error with its path")
  func noFolder() throws {
    let failure = #expect(throws: NoteStore.Failure.self) {
      try NoteStore(folder: "/dev/null/notes")
    }
    #expect(failure?.description.contains("'/dev/null/notes'") == true)
  }
}
