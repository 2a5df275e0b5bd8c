/// The process's selectors, by target type and name.
enum SelectorTable {
  private struct Key: Hashable {
    let type: ObjectIdentifier
    let name: String
  }

  private static let entries = Locked<[Key: SelectorEntry]>([:])

  /// The entry for `name` on `type`, made by `make` if there is none yet.
  ///
  /// Call from any thread.
  static func entry(
    _ type: Any.Type,
    _ name: String,
    make: (_ number: UInt32) -> SelectorEntry
  ) -> SelectorEntry {
    entries.withLock { entries in
      let key = Key(type: ObjectIdentifier(type), name: name)
      if let entry = entries[key] { return entry }
      let entry = make(UInt32(entries.count + 1))
      entries[key] = entry
      return entry
    }
  }
}
