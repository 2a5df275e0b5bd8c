/// The format of a file of notes.
///
/// The first line is `gtk-notes 1`. Each note is a line `note ID CREATED LENGTH`, the text
/// as UTF-8 with LENGTH bytes, and a line end.
enum NoteFile {
  private static let magic = "gtk-notes 1\n"

  static func encode(_ notes: [Note]) -> [UInt8] {
    var bytes = Array(magic.utf8)
    bytes.reserveCapacity(notes.reduce(64) { $0 + $1.text.utf8.count + 48 })
    for note in notes {
      bytes += "note \(note.id) \(note.created) \(note.text.utf8.count)\n".utf8
      bytes += note.text.utf8
      bytes.append(UInt8(ascii: "\n"))
    }
    return bytes
  }

  /// Returns the notes, or nil if the bytes are not a file of notes of this shard.
  static func decode(_ bytes: [UInt8], shard: Int) -> [Note]? {
    guard bytes.starts(with: magic.utf8) else { return nil }
    var rest = bytes[magic.utf8.count...]
    var notes: [Note] = []
    while !rest.isEmpty {
      guard let note = decodeNote(&rest), Notebook.shard(of: note.id) == shard,
        note.id > notes.last?.id ?? -1
      else { return nil }
      notes.append(note)
    }
    return notes
  }

  private static func decodeNote(_ rest: inout ArraySlice<UInt8>) -> Note? {
    let newline = UInt8(ascii: "\n")
    guard let end = rest.firstIndex(of: newline) else { return nil }
    let words = rest[..<end].split(separator: UInt8(ascii: " "))
    guard words.count == 4, words[0].elementsEqual("note".utf8), let id = number(words[1]),
      let created = number(words[2]), let length = number(words[3]),
      // Not a sum, which overflows if the length is not a real one.
      length < rest.endIndex - end - 1, rest[end + 1 + length] == newline,
      let text = String(validating: rest[(end + 1)..<(end + 1 + length)], as: UTF8.self)
    else { return nil }
    rest = rest[(end + length + 2)...]
    return Note(id: id, created: created, text: text)
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    guard let first = digits.first, first != UInt8(ascii: "+") else { return nil }
    return Int(String(decoding: digits, as: UTF8.self)).flatMap { $0 >= 0 ? $0 : nil }
  }
}
