/// All notes, in shards of 1,000 identifiers.
///
/// A copy costs a reference count: workers search and save a copy while the notebook
/// changes. The first change of a shard after that copies the shard only.
package struct Notebook: Sendable {
  package static let shardSize = 1000

  /// Element `n` has the notes with identifiers from `n * 1000`, in ascending order.
  package private(set) var shards: [[Note]] = []

  package private(set) var count = 0

  package init() {}

  /// The identifier of the next new note. Not one of a deleted note, which may be restored.
  package private(set) var nextID = 0

  /// The identifiers of all notes, in ascending order.
  package var ids: [Int] { shards.flatMap { $0.map(\.id) } }

  /// The note with an identifier. Setting it inserts, replaces or removes it.
  ///
  /// - Complexity: O(log n), and O(1,000) if the shard is shared with a copy.
  package subscript(id: Int) -> Note? {
    get {
      let number = Self.shard(of: id)
      guard id >= 0, number < shards.count else { return nil }
      let position = Self.position(of: id, in: shards[number])
      let notes = shards[number]
      return position < notes.count && notes[position].id == id ? notes[position] : nil
    }
    set {
      let number = Self.shard(of: id)
      while shards.count <= number { shards.append([]) }
      let position = Self.position(of: id, in: shards[number])
      let notes = shards[number]
      let isPresent = position < notes.count && notes[position].id == id
      count += (newValue == nil ? 0 : 1) - (isPresent ? 1 : 0)
      let range = position..<(isPresent ? position + 1 : position)
      nextID = max(nextID, id + 1)
      shards[number].replaceSubrange(range, with: newValue.map { [$0] } ?? [])
    }
  }

  /// Adds a note behind all others. Returns its identifier.
  package mutating func append(_ draft: Draft) -> Int {
    let id = nextID
    let number = Self.shard(of: id)
    while shards.count <= number { shards.append([]) }
    shards[number].append(Note(id: id, draft))
    (nextID, count) = (id + 1, count + 1)
    return id
  }

  /// Sets the notes of a shard that has none.
  package mutating func load(_ notes: [Note], shard number: Int) {
    while shards.count <= number { shards.append([]) }
    count += notes.count
    shards[number] = notes
    nextID = max(nextID, (notes.last?.id ?? -1) + 1)
  }

  package static func shard(of id: Int) -> Int { id / shardSize }

  private static func position(of id: Int, in notes: [Note]) -> Int {
    // Most changes are at the end.
    guard let last = notes.last, last.id >= id else { return notes.count }
    return notes.partitioningIndex { $0.id >= id }
  }
}

extension RandomAccessCollection {
  /// Returns the first index whose element satisfies `isAfter`. All elements after it do.
  package func partitioningIndex(where isAfter: (Element) -> Bool) -> Index {
    var (low, count) = (startIndex, count)
    while count > 0 {
      let half = count / 2
      let middle = index(low, offsetBy: half)
      if isAfter(self[middle]) {
        count = half
      } else {
        low = index(after: middle)
        count -= half + 1
      }
    }
    return low
  }
}
