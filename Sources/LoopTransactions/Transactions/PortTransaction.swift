import Synchronization

/// A target and a selector that any thread commits and the loop performs, like
/// a `Transaction`; not an `AsyncTransaction`, whose operations workers run.
///
/// Keep a `PortTransaction` if other threads commit the same pair repeatedly.
/// While a commit is waiting for the loop, each further commit is one atomic
/// operation and uses no memory. `LoopPort.commit` needs no such object, but it
/// posts each commit to the loop, and the loop coalesces them.
///
/// ```swift
/// let refresh = PortTransaction(view, View.refresh, on: loop.port)
/// startThread {
///   model.append(line)
///   try? refresh.commit()
/// }
/// ```
///
/// After each commit, the action runs on the loop and sees everything the
/// committing thread wrote before `commit()`. A transaction carries no value.
/// If several threads write the data that the action reads, their own lock or
/// atomic determines the order of the writes. To merge values, commit a
/// `Selector.Carrying` with `LoopPort.commit`.
///
/// A transaction does not retain its target until it is committed. A committed
/// target is retained until it is performed. The transaction retains the port,
/// so it counts as a holder for `EventLoop.waitsForPosts`.
///
/// A transaction with a `FrameClock` is performed at most once per frame, unless
/// its pair is also committed without the clock, and wakes the loop at most once
/// per frame. If the budget of the frame's tick is spent, it is performed in one
/// of the next ticks, after the frame. To show values once per frame, merge them
/// under a lock of your own, commit such a transaction after each change, and
/// take the merged value under the lock in the action.
public final class PortTransaction: Sendable {
  private let port: LoopPort
  private unowned let target: any AnyObject & Sendable
  let pair: TransactionPair
  let mark = InboxMark()
  // Used on the loop only. Not retained, because this transaction may be
  // released on any thread, and a clock must be released on the loop's.
  private nonisolated(unsafe) weak var clock: FrameClock?

  /// Creates a transaction of `selector` on `target` for the loop of `port`.
  ///
  /// Call from any thread.
  public init<Target: AnyObject & Sendable>(
    _ target: Target,
    _ selector: Selector<Target>,
    on port: LoopPort
  ) {
    self.port = port
    self.target = target
    pair = TransactionPair(target, selector)
  }

  /// Creates a transaction of `selector` on `target` for the loop of `port`,
  /// whose commits wait for the next frame of `clock`.
  ///
  /// Call on the loop. The first commit wakes the loop. Each further commit,
  /// until the frame begins, is one atomic operation and does not wake the loop.
  /// After `clock` was cancelled, commits are performed before the loop next
  /// waits.
  ///
  /// - Parameter clock: Not retained.
  /// - Precondition: `clock` belongs to the loop of `port`.
  public convenience init<Target: AnyObject & Sendable>(
    _ target: Target,
    _ selector: Selector<Target>,
    on port: LoopPort,
    atNextFrameOf clock: FrameClock
  ) {
    port.core.checkThread("PortTransaction.init")
    require(
      clock.core === port.core,
      "PortTransaction.init: the frame clock belongs to another loop; pass a clock of this loop"
    )
    self.init(target, selector, on: port)
    self.clock = clock
  }

  /// Commits the transaction: performs it on the loop, before the loop next
  /// waits, or at the next frame of its clock. Does nothing if an earlier commit
  /// is still waiting for the loop or for the frame.
  ///
  /// Call from any thread. Coalesced with every other commit of the pair. The
  /// first commit determines its position in the order. On the loop's own
  /// thread the pair is pending at once; from another thread it is pending once
  /// the loop has taken the commit from its inbox. Does not allocate, and
  /// `EventLoop.postCapacity` does not apply.
  ///
  /// - Precondition: The target is alive.
  /// - Throws: `LoopPort.PostError` if the loop is closed.
  /// - Complexity: O(1). One atomic operation while an earlier commit is
  ///   waiting.
  public func commit() throws(LoopPort.PostError) {
    let core = port.core
    if core.isOnThread {
      guard commitOnThread(core) else { throw port.refusal }
      return
    }
    // Checked before the mark, because a child process inherits a set mark but
    // performs nothing.
    if !core.isForked, _fastPath(mark.join()) { return }
    guard handOver(to: core) else { throw port.refusal }
  }

  private func commitOnThread(_ core: PortCore) -> Bool {
    let target = target
    guard let clock else {
      return withExtendedLifetime(target) { core.commitOnThread(pair) }
    }
    return core.commitOnThread { loop in
      withExtendedLifetime(target) {
        loop.transactions.commit(pair, atNextFrameOf: clock)
      }
    }
  }

  @inline(never)
  private func handOver(to core: PortCore) -> Bool {
    var item = PostedItem(
      kind: PostedItem.portTransaction,
      first: UInt(retaining: self),
      second: UInt(retaining: target as AnyObject)
    )
    switch core.append(item, unless: mark) {
    case .queued, .queuedAndWake: return true
    case .joined:
      // The item that another thread posted covers this commit.
      item.drop()
      return true
    case .refused:
      item.drop()
      return false
    }
  }

  /// Called when the waiting item is dropped because the loop was released.
  func clearMark() { mark.clear() }

  /// Commits the pair on the loop when the item is taken, and takes over its
  /// reference to the target.
  func wasTaken(by loop: EventLoop) {
    if let clock { return loop.transactions.commitPosted(self, atNextFrameOf: clock) }
    // Cleared before the pair is pending, and so before its action runs. A
    // commit made after the action began to read finds the mark cleared.
    mark.clear()
    loop.transactions.commitOwned(pair)
  }
}

extension LoopPort {
  /// Commits `selector` on `target`: performs it on the loop, before the loop
  /// next waits.
  ///
  /// Call from any thread. Coalesced with every other commit of the pair. On
  /// the loop's own thread the pair is pending at once. From another thread it
  /// is pending once the loop has taken the commit from its inbox; until then
  /// `isPending` and `cancel` do not see it. Does not allocate, but occupies
  /// space in the inbox. A thread that commits the same pair repeatedly should
  /// keep a `PortTransaction`, which can also name a `FrameClock`.
  ///
  /// - Parameter target: Retained until performed, and released on the loop.
  /// - Throws: `PostError` if the loop is closed or its inbox is full.
  /// - Complexity: O(1).
  @inlinable
  @inline(__always)
  public func commit<Target: Sendable>(
    _ target: Target,
    _ selector: Selector<Target>
  ) throws(PostError) {
    // Inlined down to three words, so that nothing generic is called.
    try withExtendedLifetime(target) { () throws(PostError) in
      try commit(TransactionPair(target, selector))
    }
  }

  @usableFromInline
  func commit(_ pair: TransactionPair) throws(PostError) {
    if _fastPath(core.isOnThread) {
      if _fastPath(core.commitOnThread(pair)) { return }
      throw refusal
    }
    pair.retainTarget()
    var item = PostedItem(kind: pair.selector, first: pair.target)
    if _fastPath(core.append(item)) { return }
    item.drop()
    throw refusal
  }

  /// Commits `selector` on `target` with `value`. If the pair is pending, the
  /// selector determines how the two values are combined.
  ///
  /// Call from any thread. The pair becomes pending in the same way as without
  /// a value. Allocates once. The loop combines the values of several threads
  /// in the order their commits arrived, so `keep: .last` keeps the value that
  /// arrived last.
  ///
  /// Names no `FrameClock`: each value would wake the loop, although it is only
  /// needed at the frame. Merge the values under a lock of your own, and commit
  /// a `PortTransaction` with the clock after each change. The loop then wakes
  /// once per frame.
  ///
  /// - Throws: `PostError` if the loop is closed or its inbox is full.
  /// - Complexity: O(1).
  public func commit<Target: Sendable, Value: Sendable>(
    _ target: Target,
    _ selector: Selector<Target>.Carrying<Value>,
    _ value: Value
  ) throws(PostError) {
    if core.isOnThread {
      guard core.commitOnThread({ $0.commit(target, selector, value) }) else { throw refusal }
      return
    }
    try post { [unowned(unsafe) core] in core.onLoop { $0.commit(target, selector, value) } }
  }
}

extension PortCore {
  /// Commits a pair on the loop's own thread. Returns false if the loop accepts
  /// no commits.
  @inline(__always)
  func commitOnThread(_ pair: TransactionPair) -> Bool {
    // The caller has compared the thread, and a core with a loop is not closed.
    commitOnThread { $0.commitUnchecked(pair) }
  }
}
