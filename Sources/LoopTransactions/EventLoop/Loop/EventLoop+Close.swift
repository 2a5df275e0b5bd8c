extension EventLoop {
  /// Closes the loop: refuses posts, performs pending work, and closes its
  /// handles and descriptors.
  ///
  /// Call on the loop, while it is not running. Before it returns, it runs all
  /// accepted posts, performs all transactions, and drains all queues. Timers
  /// are cancelled. Calling it again does nothing.
  ///
  /// An adopted loop can be closed in any of its callbacks except the
  /// following, where `close()` traps with `EventLoop.close: must not be called
  /// in …`:
  ///
  /// - `Embedding.onChange`, `TransactionContainer.willBegin`, and the merge
  ///   closure of a `Selector.Carrying`. Their callers need the loop
  ///   afterwards.
  /// - An operation of one of the loop's async transactions that the loop's
  ///   thread runs in `waitUntilComplete` or while it answers `postAndWait`,
  ///   and a `deinit` that runs because such an operation is cancelled. The
  ///   loop would wait for its own caller.
  ///
  /// If called in a completion, it calls the other completions of the
  /// transaction before it returns.
  ///
  /// Do not call it in code isolated to an actor of the loop by
  /// `assumeIsolated`. Jobs that arrive from then on run on a worker, so the
  /// calling code would no longer have exclusive access to its actor.
  ///
  /// The handles on an adopted loop are freed in the next tick that its owner
  /// runs. In a forked child, the inherited loop is only abandoned: nothing is
  /// performed, and the parent's loop is not affected.
  ///
  /// - Throws: `UVError` `EBUSY`, with the types of the open handles, if a loop
  ///   that this library owns has handles it did not open, by `libuvLoop`. The
  ///   loop is then unchanged.
  /// - Complexity: O(n) in the pending work.
  public func close() throws(UVError) {
    checkThread("EventLoop.close")
    switch state {
    case .idle: break
    case .running, .leaving:
      trap("EventLoop.close: must not be called from inside run(); call it after run() returned")
    case .closing, .closed: return
    }
    guard !core.isForked else { return abandon() }
    checkMayClose()
    try checkNothingForeign()
    try asCurrent { () throws(UVError) in
      state = .closing
      core.inbox.close()
      for part in parts { part.loopWillClose() }
      flushForGood()
      dropAll()
      endRecording()
      try closeHandles()
    }
  }

  /// Whether the loop is not closed. Call on the loop, or when it is released.
  package var isOpen: Bool { state != .closed }

  /// Calls `body` and forbids closing the loop until `body` returns, because
  /// the caller needs the loop afterwards. `close()` traps with a message that
  /// contains `name`.
  func withoutClosing<Result>(_ name: StaticString, _ body: () -> Result) -> Result {
    let outer = unclosable
    unclosable = name
    defer { unclosable = outer }
    return body()
  }

  /// Traps in a callback whose caller needs the loop afterwards, and in a
  /// callback that `close()` would have to wait for.
  private func checkMayClose() {
    if let unclosable { trapUnclosable("\(unclosable)") }
    for part in parts {
      if let place = part.unclosablePlace { trapUnclosable(place) }
    }
  }

  private func trapUnclosable(_ place: String) -> Never {
    trap("EventLoop.close: must not be called in \(place); return from it first, or post the close")
  }

  /// Abandons the inherited loop in a child process. The kernel's poll is
  /// shared, so closing a handle here would end its events in the parent.
  /// Threads that do not exist in the child may hold locks.
  func abandon() {
    state = .closed
    becomeUnreachable()
    for part in parts { part.leaveInChild() }
    deadlines.detachOwner()
    stopInChild()
  }

  /// Removes all references to the loop from objects that may outlive it.
  func becomeUnreachable() {
    CurrentLoop.remove(self)
    ticks.setOwner(nil)
    wakeSource.setOwner(nil)
    core.setLoop(nil)
    observers.detachAll()
  }

  private func checkNothingForeign() throws(UVError) {
    guard ownsLoop else { return }
    var ours = Set(ticks.addresses + [wakeSource.address] + timers.addresses + deadlines.addresses)
    for part in parts { ours.formUnion(part.handles) }
    let foreign = uv.foreignHandles(besides: ours)
    guard foreign.isEmpty else {
      let list = foreign.joined(separator: ", ")
      throw UVError(code: UVError.busy, operation: "EventLoop.close (open: \(list))")
    }
  }

  private func flushForGood() {
    flushAll()
    for part in parts { part.finish() }
    // Several rounds, because parts pass work on to each other.
    for _ in 0..<Self.maxFinalRounds
    where hasPendingWork || core.inbox.isFilled || parts.contains(where: \.isUnfinished) {
      flushAll()
      for part in parts { part.finish() }
    }
    for part in parts { part.finishForGood() }
    flushAll()
    let left = transactions.count
    if left > 0 {
      System.logToStandardError(
        "EventLoop.close: dropped \(left) transactions that kept committing themselves"
      )
    }
  }

  private func dropAll() {
    // Done first, because releasing objects below may post, and nothing would
    // run the post.
    core.setLoop(nil)
    dropPosts()
    // Repeated, because a release may add a timer, queue, observer or commit.
    // None of them may be left when the handles close.
    var rounds = 0
    repeat {
      require(
        rounds < Self.maxDropRounds,
        """
        EventLoop.close: a deinit or a completion added work to the loop in each of \
        \(Self.maxDropRounds) rounds; find it and stop it
        """
      )
      dropOnce()
      rounds += 1
    } while !holdsNothing
  }

  // 1,000 is longer than any legitimate chain of releases. Not measured.
  private static var maxDropRounds: Int { 1000 }

  private func dropOnce() {
    for part in parts { part.drop() }
    // Cancelled one by one, because releasing a timer's callback may cancel
    // other timers.
    for _ in 0..<timers.count { timers.any?.cancel() }
    for observer in observers.removeAll() { observer.invalidate() }
  }

  private var holdsNothing: Bool {
    timers.count == 0 && observers.isEmpty && !parts.contains(where: \.holdsAnything)
  }

  private func closeHandles() throws(UVError) {
    state = .closed
    CurrentLoop.remove(self)
    for part in parts { part.loopDidClose() }
    ticks.close()
    wakeSource.close()
    deadlines.close()
    // Inside a host's callback, one of the loop's jobs may still be running.
    if !isCalledBack { core.loopDidLeaveThread() }
    guard ownsLoop else { return }
    // Not `.noWait`, which spins until a request of libuv in progress has ended.
    while uv.run(.once) {}
    try uv.close()
  }
}
