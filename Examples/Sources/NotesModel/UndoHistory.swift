/// The changes of all notes that can be undone and redone.
package struct UndoHistory {
  /// A change of one note: made, edited or deleted.
  package struct Change: Equatable {
    package let id: Int
    package let before: Note?
    package let after: Note?

    fileprivate var inverse: Change { Change(id: id, before: after, after: before) }
  }

  // Not measured. A change of a note holds two of its texts.
  private static let limit = 1000

  private var undoable: [Change] = []
  private var redoable: [Change] = []
  // Whether the next edit of the same note joins the newest change.
  private var isOpen = false
  private var lastGrew = false

  package init() {}

  package var canUndo: Bool { !undoable.isEmpty }
  package var canRedo: Bool { !redoable.isEmpty }

  /// Records a change that was made. Typing is undone a word at a time.
  package mutating func record(id: Int, before: Note?, after: Note?) {
    redoable = []
    guard let before, let after else {
      append(Change(id: id, before: before, after: after))
      isOpen = false
      return
    }
    let edit = TextEdit(from: before.text, to: after.text)
    let grew = !edit.inserted.isEmpty
    if isOpen, grew == lastGrew, let last = undoable.last, last.id == id, last.after == before {
      undoable.removeLast()
      append(Change(id: id, before: last.before, after: after))
    } else {
      append(Change(id: id, before: before, after: after))
    }
    lastGrew = grew
    // The next word is another change.
    isOpen = !(edit.inserted.last?.isWhitespace ?? false)
  }

  /// Ends the newest change: a later edit does not join it.
  package mutating func close() { isOpen = false }

  /// Returns the change that undoes the newest one, or nil if there is none.
  package mutating func undo() -> Change? { move(from: \.undoable, to: \.redoable)?.inverse }

  /// Returns the change that was undone last, or nil if there is none.
  package mutating func redo() -> Change? { move(from: \.redoable, to: \.undoable) }

  private mutating func move(
    from: WritableKeyPath<Self, [Change]>,
    to: WritableKeyPath<Self, [Change]>
  ) -> Change? {
    isOpen = false
    guard let change = self[keyPath: from].popLast() else { return nil }
    self[keyPath: to].append(change)
    return change
  }

  private mutating func append(_ change: Change) {
    undoable.append(change)
    if undoable.count > Self.limit { undoable.removeFirst() }
  }
}

/// The smallest part that differs between two texts.
package struct TextEdit: Equatable {
  /// The position of the part, in Unicode scalars, as GTK counts.
  package let position: Int
  /// The number of scalars that the part had.
  package let removed: Int
  package let inserted: String

  package init(from old: String, to new: String) {
    var (old, new) = (old, new)
    self = old.withUTF8 { old in new.withUTF8 { new in TextEdit(from: old, to: new) } }
  }

  // Compares bytes, because arrays of the scalars would be copies of the whole texts.
  private init(from old: UnsafeBufferPointer<UInt8>, to new: UnsafeBufferPointer<UInt8>) {
    let shorter = min(old.count, new.count)
    var (start, end) = (0, 0)
    while start < shorter, old[start] == new[start] { start += 1 }
    // Scalars that differ may begin with equal bytes.
    while start < shorter, !Self.beginsScalar(old[start]) { start -= 1 }
    while end < shorter - start, old[old.count - 1 - end] == new[new.count - 1 - end] { end += 1 }
    while end > 0, !Self.beginsScalar(old[old.count - end]) { end -= 1 }
    position = old[..<start].count(where: Self.beginsScalar)
    removed = old[start..<(old.count - end)].count(where: Self.beginsScalar)
    inserted = String(decoding: new[start..<(new.count - end)], as: UTF8.self)
  }

  private static func beginsScalar(_ byte: UInt8) -> Bool { byte & 0xC0 != 0x80 }
}
