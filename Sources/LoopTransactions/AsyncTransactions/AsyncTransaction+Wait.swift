extension AsyncTransaction {
  /// Blocks the loop's thread until the transaction is complete.
  ///
  /// Call on the loop. Commits the transaction if it is open, and boosts its
  /// queued operations above all others. This thread runs the operations that
  /// no worker has begun, and calls the completions before this returns. Does
  /// nothing if the transaction is complete.
  ///
  /// Traps where the wait could never end: in a completion of this transaction,
  /// while this thread runs one of its operations or answers a call from one,
  /// and while the captures of a cancelled operation are released. Also traps if
  /// the transaction has an operation with an asynchronous body that was not
  /// cancelled, even if the body has ended or the transaction is complete. Such
  /// a body may have to continue on this loop; use `completion` instead.
  ///
  /// If an operation of the transaction calls `LoopPort.postAndWait` on this
  /// loop, directly or through other loops, that call throws a
  /// `WaitCycleError`.
  ///
  /// - Complexity: O(n) in its operations, plus the time they take.
  public func waitUntilComplete() {
    check("AsyncTransaction.waitUntilComplete")
    if CurrentOperation.isAwaited(by: core.id) {
      trap("AsyncTransaction.waitUntilComplete: must not be called from an operation of \(name)")
    }
    // In every phase, so that a wait does not work or trap by time.
    checkAwaitsNoAsyncBody()
    switch core.state.phase {
    case .complete: return
    case .completing:
      trap("AsyncTransaction.waitUntilComplete: must not be called from a completion of \(name)")
    case .open: commit()
    case .committed: break
    }
    if let time = core.loop.virtualTime, isThreaded { time.didWaitForThreaded() }
    // Registered for the entire wait, because operations that this thread runs
    // may wait for other loops.
    let wait = WaitTable.shared.begin(.transaction(core.id, on: core.loop, name: "\(name)"))
    // Boosted first, so that workers run some operations while this thread runs
    // others.
    items.forEach { _ = $0.move(to: OperationBacklog.boostedLevel) }
    items.forEach { $0.runIfQueued() }
    waitForWorkers()
    WaitTable.shared.end(wait)
    completeIfEnded()
  }

  private func checkAwaitsNoAsyncBody() {
    let names = asyncBodies.lazy.compactMap { $0.withLock { $0.isCancelled ? nil : $0.name } }
    guard let body = names.first else { return }
    trap(
      "AsyncTransaction.waitUntilComplete: operation \(body) of \(name) has an async body; "
        + "await completion instead"
    )
  }

  /// Cancels the transaction even if it is open. An empty transaction completes
  /// immediately.
  func cancelEvenIfOpen() {
    if state == .open, items.isEmpty {
      _ = core.change { $0.commit() }
      _ = core.change { $0.cancel() }
      return completeIfEnded()
    }
    if state == .open { commit() }
    cancel()
  }

  /// Cancels the transaction and waits until it is complete. Used when the loop
  /// closes. If a completion of the transaction closes the loop, calls the
  /// remaining completions.
  func finish() {
    switch core.state.phase {
    case .completing: callCompletions()
    case .complete: break
    case .open, .committed: waitUntilComplete()
    }
  }

  /// Blocks until the operations that run on other threads have ended.
  private func waitForWorkers() {
    guard core.state.unended > 0 else { return }
    let parking = Parking()
    core.parking = parking
    guard core.change({ $0.beginWait() }) else { return }
    parking.sleep()
    core.change { $0.endWait() }
  }
}

extension AsyncTransaction {
  /// Waits until the transaction is complete.
  ///
  /// Call on the loop: from an actor pinned to it, or from the main actor if
  /// the main thread runs it. The task continues on that actor, after the
  /// completions and the closures passed to `whenComplete(_:)`. Does not block
  /// the loop. Returns immediately if the transaction is complete. Several tasks
  /// may wait; they resume in the order in which they began to.
  ///
  /// Does not commit the transaction. Cancelling the task does not end the
  /// wait; cancel the transaction instead. Closing the loop completes the
  /// transaction. If the loop is released without `close()`, this returns
  /// although the transaction never completes.
  ///
  /// ```swift
  /// transaction.commit()
  /// await transaction.completion
  /// ```
  ///
  /// See also: `waitUntilComplete()` blocks the loop's thread instead.
  ///
  /// - Complexity: O(1).
  public nonisolated(nonsending) var completion: Void {
    get async {
      check("AsyncTransaction.completion")
      guard state != .complete, !unfinished.isAbandoned else { return }
      await withUnsafeContinuation { awaiters.append($0) }
    }
  }

  /// Calls the closures of `whenComplete(_:)`.
  func callEndings() {
    let endings = endings
    self.endings = []
    for ending in endings { ending(self) }
  }

  /// Resumes the tasks that wait for `completion`.
  func resumeAwaiters() {
    let awaiters = awaiters
    self.awaiters = []
    for awaiter in awaiters { awaiter.resume() }
  }
}
