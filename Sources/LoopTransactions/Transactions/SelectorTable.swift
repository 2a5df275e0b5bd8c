/// All selectors of the process, by target type and name.
enum SelectorTable {
  private struct Key: Hashable {
    let type: ObjectIdentifier
    let name: String
  }

  private struct State {
    var entries: [Key: SelectorEntry] = [:]
    var observing: [SelectorEntry] = []
    var conflicts = SelectorConflicts()
  }

  private static let state = Locked(State())

  /// The selectors whose actions are observed.
  static var observing: [SelectorEntry] { state.withLock { $0.observing } }

  /// Returns the entry for `name` on `type`. Creates the entry with `make` if
  /// it does not exist.
  ///
  /// Call from any thread. A debug build reports a selector that is created at
  /// two places.
  static func entry(
    _ type: Any.Type,
    _ name: String,
    _ origin: SelectorOrigin?,
    make: (_ number: UInt32) -> SelectorEntry
  ) -> SelectorEntry {
    let (entry, conflict) = state.withLock { state -> (SelectorEntry, String?) in
      let key = Key(type: ObjectIdentifier(type), name: name)
      if let entry = state.entries[key] {
        #if DEBUG
          return (entry, state.conflicts.message(entry, origin))
        #else
          return (entry, nil)
        #endif
      }
      let entry = make(UInt32(state.entries.count + 1))
      state.entries[key] = entry
      if entry.observation != nil { state.observing.append(entry) }
      return (entry, nil)
    }
    if let conflict { System.logToStandardError(conflict) }
    return entry
  }
}
