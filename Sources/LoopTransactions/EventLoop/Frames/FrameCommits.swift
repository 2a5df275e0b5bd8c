// Commits at a clock's next frame. T11.
extension EventLoop {
  /// Commits `selector` on `target` for the next frame of `clock`: performs it
  /// once when the frame begins, even if it is committed again until then.
  ///
  /// Call on the loop. Use this for changes that are made more often than a
  /// screen shows them. The pair is the same as without a clock:
  ///
  /// - If the pair is pending without a clock, it is performed before the loop
  ///   next waits, and not at the frame.
  /// - If the pair waits for a frame and is committed without a clock, it is
  ///   performed before the loop next waits, at the position of that commit.
  /// - If the pair waits for another clock, it keeps waiting for that one.
  /// - `isPending`, `cancel` and `performIfNeeded` find it while it waits for
  ///   the frame, too. `performIfNeeded` performs it at once, before the frame.
  ///
  /// When the frame begins, the clock's pairs become pending, in commit order,
  /// behind all others. They are performed before the loop waits, within the
  /// tick's budget. The next ticks perform those beyond it, after the frame. A
  /// commit made after the frame began waits for the frame after it, unless the
  /// pair is still pending.
  ///
  /// The loop's run waits for the frame, unless a host announces the frames; a
  /// run that is stopped earlier leaves the commit to the next run. If the clock
  /// was cancelled, or is cancelled while the pair waits, the pair is performed
  /// before the loop next waits. `close()` performs it without the frame.
  ///
  /// Modelled on `requestAnimationFrame` of browsers.
  ///
  /// - Parameters:
  ///   - target: Retained until performed. Identified by object identity, not
  ///     by `==`.
  ///   - selector: The action to perform.
  ///   - clock: The clock of the screen.
  /// - Precondition: `clock` belongs to this loop.
  /// - Complexity: O(1) in the commits, O(n) in the clocks that commits wait
  ///   for. Committing a pending pair does not allocate.
  public func commit<Target>(
    _ target: Target,
    _ selector: Selector<Target>,
    atNextFrameOf clock: FrameClock
  ) {
    commit(target, TransactionPair(target, selector), atNextFrameOf: clock)
  }

  /// Commits `selector` on `target` with `value` for the next frame of `clock`.
  /// If the pair is pending, the selector determines how the two values are
  /// combined.
  ///
  /// Call on the loop. Otherwise the same as without a value.
  ///
  /// - Complexity: O(1) in the commits.
  public func commit<Target, Value>(
    _ target: Target,
    _ selector: Selector<Target>.Carrying<Value>,
    _ value: Value,
    atNextFrameOf clock: FrameClock
  ) {
    commitCarrying(target, selector, value, atNextFrameOf: clock)
  }

  /// Commits `pair`, whose target is `target`, for the next frame of `clock`.
  func commit(
    _ target: AnyObject,
    _ pair: TransactionPair,
    atNextFrameOf clock: FrameClock
  ) {
    checkUsable("EventLoop.commit")
    transactions.checkClock(clock, "EventLoop.commit")
    withExtendedLifetime(target) { transactions.commit(pair, atNextFrameOf: clock) }
  }

  // Has a name of its own, because the overloads for isolated targets call it.
  func commitCarrying<Target, Value>(
    _ target: Target,
    _ selector: Selector<Target>.Carrying<Value>,
    _ value: Value,
    atNextFrameOf clock: FrameClock
  ) {
    checkUsable("EventLoop.commit")
    transactions.checkClock(clock, "EventLoop.commit")
    transactions.commit(target, selector, value, atNextFrameOf: clock)
  }
}

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

  // The marks that are set because their transactions have committed a pair of
  // this list. I32. The transactions are not retained: releasing one may release
  // the loop's last port, which may call the host.
  private var marks: [TransactionPair: [InboxMark]] = [:]

  init(_ clock: FrameClock, _ set: TransactionSet) {
    self.clock = clock
    self.set = set
  }

  deinit { list.free() }

  /// Whether no commit waits.
  var isEmpty: Bool { list.count == 0 }

  /// Appends an entry, which owns its references. Comes last in a commit,
  /// because the first entry may call the host of the clock.
  func append(_ pair: TransactionPair, _ pending: TransactionSet.Pending, isWeak: Bool = false) {
    let tag = isWeak ? pair.number | TransactionSet.weakTag : pair.number
    list.append(pair.target, tag, pending)
    set.didAppendSlow()
    guard list.count == 1 else { return }
    set.insert(self)
    clock.requestFrame()
  }

  /// Removes the entry of `pair` at `place`. Does not release its references.
  func remove(_ place: List.Index, of pair: TransactionPair) -> List.Entry {
    let entry = List.Entry(key: pair.target, tag: place.tag, payload: list.remove(place))
    set.didRemoveSlow()
    clearMarks(of: pair)
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
    list.resetIfEmpty()
    set.remove(self)
    clock.withdrawRequest()
  }

  /// Keeps `mark`, of a transaction of `pair`, set until the pair leaves this
  /// list, so that the commits of other threads are coalesced without waking the
  /// loop.
  func keep(_ mark: InboxMark, of pair: TransactionPair) {
    marks[pair, default: []].append(mark)
  }

  /// Clears all marks. Commits of other threads are posted from now on.
  func clearMarks() {
    for kept in marks.values { for mark in kept { mark.clear() } }
    marks.removeAll(keepingCapacity: true)
  }

  private func clearMarks(of pair: TransactionPair) {
    guard !marks.isEmpty else { return }
    for mark in marks.removeValue(forKey: pair) ?? [] { mark.clear() }
  }
}
