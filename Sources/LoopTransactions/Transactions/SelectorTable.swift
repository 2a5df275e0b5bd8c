/// All selectors of the process, by target type and name.
enum SelectorTable {
  private struct Key: Hashable {
    let type: ObjectIdentifier
    let name: String
  }

  private struct State {
    var entries: [Key: SelectorEntry] = [:]
    var observing: [SelectorEntry] = []
    var reported: Set<String> = []
  }

  private static let state = Locked(State())

  /// The selectors whose actions are observed.
  static var observing: [SelectorEntry] { state.withLock { $0.observing } }

  /// Returns the entry for `name` on `type`. Creates the entry with `make` if
  /// it does not exist.
  ///
  /// Call from any thread. A debug build reports a selector that is created at
  /// two places, or with other captured values.
  static func entry(
    _ type: Any.Type,
    _ name: String,
    _ origin: SelectorOrigin?,
    make: (_ number: UInt32) -> SelectorEntry
  ) -> SelectorEntry {
    let (entry, isNew) = state.withLock { state in
      let key = Key(type: ObjectIdentifier(type), name: name)
      if let entry = state.entries[key] { return (entry, false) }
      let entry = make(UInt32(state.entries.count + 1))
      state.entries[key] = entry
      if entry.observation != nil { state.observing.append(entry) }
      return (entry, true)
    }
    #if DEBUG
      // Without the lock, because captured values are compared with their `==`.
      if !isNew, let origin { report(SelectorConflict(entry, origin)) }
    #endif
    return entry
  }

  private static func report(_ conflict: SelectorConflict?) {
    guard let conflict else { return }
    let isFirst = state.withLock { $0.reported.insert(conflict.key).inserted }
    if isFirst { System.logToStandardError(conflict.message) }
  }
}
