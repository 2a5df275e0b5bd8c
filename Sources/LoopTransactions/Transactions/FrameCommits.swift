/// The pending transactions that wait for the next frame of a clock, in commit
/// order.
///
/// An entry is the same as in a `TransactionSet`, and moves there when the frame
/// begins or when its pair is committed without a clock. A pair has an entry in
/// the set or in one of its frame lists, never in two of them. I5. Belongs to
/// the loop's thread.
final class FrameCommits {
  typealias List = TransactionSet.List

  // Exclusivity is unchecked for the same reason as in `TransactionSet`.
  @exclusivity(unchecked) var list = List()
  /// The next list of the set with entries.
  @exclusivity(unchecked) var next: FrameCommits?

  // The clock retains the list. Cancelling the clock empties the list.
  private unowned let clock: FrameClock
  private unowned let set: TransactionSet

  private struct Pair: Hashable {
    let key: UInt
    let number: UInt32
  }

  // The marks that are set because their transactions have committed a pair of
  // this list. I32. The transactions are not retained: releasing one may release
  // the loop's last port, which may call the host.
  private var marks: [Pair: [InboxMark]] = [:]

  init(_ clock: FrameClock, _ set: TransactionSet) {
    self.clock = clock
    self.set = set
  }

  deinit { list.free() }

  /// Whether no commit waits.
  var isEmpty: Bool { list.count == 0 }

  /// Appends an entry, which owns its references. Comes last in a commit,
  /// because the first entry may call the host of the clock.
  func append(_ key: UInt, _ tag: UInt32, _ pending: TransactionSet.Pending) {
    list.append(key, tag, pending)
    set.didAppendSlow()
    guard list.count == 1 else { return }
    set.insert(self)
    clock.requestFrame()
  }

  /// Removes the entry at `place`. Does not release its references.
  func remove(_ place: List.Index, _ key: UInt) -> List.Entry {
    let entry = List.Entry(key: key, tag: place.tag, payload: list.remove(place))
    set.didRemoveSlow()
    clearMarks(of: entry)
    if isEmpty { becomeEmpty() }
    return entry
  }

  /// Moves all entries to the set, in order. Comes last in its caller, because it
  /// may call the host of an embedded loop.
  func beginFrame() {
    guard !isEmpty else { return }
    clearMarks()
    set.appending {
      while let entry = removeFirst() { set.move(entry) }
      becomeEmpty()
    }
  }

  /// Removes the first entry. The caller calls `becomeEmpty()` after the last.
  func removeFirst() -> List.Entry? {
    guard let entry = list.removeFirst(before: list.mark) else { return nil }
    set.didRemoveSlow()
    return entry
  }

  /// Called when the last entry was removed.
  func becomeEmpty() {
    list.settle()
    set.remove(self)
    clock.withdrawRequest()
  }

  /// Keeps `mark`, of a transaction of the pair (`key`, `number`), set until the
  /// pair leaves this list, so that the commits of other threads are coalesced
  /// without waking the loop.
  func keep(_ mark: InboxMark, of key: UInt, _ number: UInt32) {
    marks[Pair(key: key, number: number), default: []].append(mark)
  }

  /// Clears all marks. Commits of other threads are posted from now on.
  func clearMarks() {
    for kept in marks.values { for mark in kept { mark.clear() } }
    marks.removeAll(keepingCapacity: true)
  }

  private func clearMarks(of entry: List.Entry) {
    guard !marks.isEmpty else { return }
    let pair = Pair(key: entry.key, number: entry.tag & ~TransactionSet.weakTag)
    for mark in marks.removeValue(forKey: pair) ?? [] { mark.clear() }
  }
}
