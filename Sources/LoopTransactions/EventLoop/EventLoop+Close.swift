extension EventLoop {
  /// Closes the loop: refuses posts, performs what is owed, and gives back its
  /// handles and descriptors.
  ///
  /// Call on the loop, while it is not running. Posts that were accepted are
  /// run, transactions performed, and queues handed over to their end, before
  /// this returns; timers are cancelled. Calling it again does nothing.
  ///
  /// On an adopted loop, call it in any callback of the loop except these, where it
  /// traps with one message, `EventLoop.close: must not be called in …`:
  ///
  /// - `Embedding.onChange`, `TransactionContainer.willBegin`, and the merge of a
  ///   `Selector.Carrying`: their callers need the loop afterwards.
  /// - An operation of one of its async transactions that the loop's thread runs in
  ///   `waitUntilComplete` or answers in `postAndWait`, and a `deinit` that cancelling
  ///   such an operation causes: the loop would wait for its caller.
  ///
  /// Called in a completion, it calls the transaction's other completions before it
  /// returns.
  ///
  /// Not to be called in code that is isolated to an actor of the loop, by
  /// `assumeIsolated`: what comes for the loop from here on runs on a worker, and
  /// that code would not be alone with its actor until it returns.
  ///
  /// The handles on an adopted loop are closed, and freed by the next tick that
  /// its owner runs. In a child process, what it inherited is only let go: nothing
  /// is performed, and the parent's loop goes on.
  ///
  /// - Throws: `UVError` `EBUSY` if handles that somebody else opened on a loop of
  ///   ours are still open, with their types; the loop is then as before. A
  ///   safeguard: without the loop's address, which is not public, nobody can.
  /// - Complexity: O(n) in what waits.
  public func close() throws(UVError) {
    checkThread("EventLoop.close")
    switch state {
    case .idle: break
    case .running, .leaving:
      trap("EventLoop.close: the loop is running; stop() it, close it after run()")
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
      try closeHandles()
    }
  }

  /// Calls `body`, a callback called `name` in the middle of a call that needs the loop
  /// afterwards: `close()` traps inside.
  func withoutClosing<Result>(_ name: StaticString, _ body: () -> Result) -> Result {
    let outer = unclosable
    unclosable = name
    defer { unclosable = outer }
    return body()
  }

  /// Traps in a callback whose caller needs the loop, or waits for it to be closed.
  private func checkMayClose() {
    if let unclosable { trapUnclosable("\(unclosable)") }
    for part in parts {
      if let place = part.unclosablePlace { trapUnclosable(place) }
    }
  }

  private func trapUnclosable(_ place: String) -> Never {
    trap("EventLoop.close: must not be called in \(place); let it return, or post the close")
  }

  /// Leaves everything as it is in a child process. The kernel's poll is shared:
  /// closing a handle here would end its events in the parent. Locks may be held
  /// by threads that the child does not have.
  func abandon() {
    state = .closed
    becomeUnreachable()
    for part in parts { part.leaveInChild() }
    timers.forEach { $0.leaveSource() }
    stopInChild()
  }

  /// Lets nothing find the loop any more that may outlive it.
  func becomeUnreachable() {
    CurrentLoop.remove(self)
    ticks.setOwner(nil)
    wakeSource.setOwner(nil)
    core.setLoop(nil)
    observers.detachAll()
  }

  private func checkNothingForeign() throws(UVError) {
    guard ownsLoop else { return }
    var ours = Set(ticks.addresses + [wakeSource.address] + timers.addresses)
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
    // Parts pass work on to each other.
    for _ in 0..<Self.maxFinalRounds
    where hasPendingWork || core.inbox.isFilled || parts.contains(where: \.isUnfinished) {
      flushAll()
      for part in parts { part.finish() }
    }
    for part in parts { part.finishForGood() }
    flushAll()
    let left = commits.count
    if left > 0 {
      System.logToStandardError("EventLoop.close: \(left) transactions committed themselves again; dropped")
    }
  }

  private func dropAll() {
    // First: what is released below may post, and nothing would run it.
    core.setLoop(nil)
    // Again and again: what is released may add a timer, a queue, an observer, or
    // commit, and nothing of that may be left when the handles close.
    var rounds = 0
    repeat {
      require(
        rounds < Self.maxDropRounds,
        "EventLoop.close: what it releases or completes adds to the loop, without an end; look for a deinit, or a completion, that does"
      )
      dropOnce()
      rounds += 1
    } while !holdsNothing
  }

  // 1,000: no chain of releases that means well is as long. Guess.
  private static var maxDropRounds: Int { 1000 }

  private func dropOnce() {
    for part in parts { part.drop() }
    // One by one: letting go of a timer's callback may cancel others.
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
    // Called back by a host, it may be in the middle of a job.
    if !isCalledBack { core.loopDidLeaveThread() }
    guard ownsLoop else { return }
    while uv.run(.noWait) {}
    try uv.close()
  }
}
