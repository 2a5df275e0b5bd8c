extension AsyncTransaction {
  /// Returns when the transaction is complete; the loop does nothing else until
  /// then.
  ///
  /// Call on the loop. Traps in a completion of this transaction, in an operation of it
  /// that this thread runs or answers for, and where the captures of a cancelled one
  /// are released: it would wait for its caller. Commits the transaction if it is
  /// open. Boosts its queued operations above all others, and runs those on this
  /// thread that no worker has taken. Calls the completions before it returns. Does
  /// nothing if the transaction is complete.
  ///
  /// If an operation of it waits on the loop meanwhile, by `LoopPort.postAndWait`,
  /// directly or by way of other loops, that call throws a `WaitCycleError`.
  ///
  /// - Complexity: O(n) in its operations, and what they take.
  public func waitUntilComplete() {
    check("AsyncTransaction.waitUntilComplete")
    if CurrentOperation.isAwaited(by: core) {
      trap("AsyncTransaction.waitUntilComplete: called from an operation of \(name) itself")
    }
    switch core.state.phase {
    case .complete: return
    case .completing:
      trap("AsyncTransaction.waitUntilComplete: called from a completion of \(name) itself")
    case .open: commit()
    case .committed: break
    }
    // Also while it helps: what it runs may wait on other loops.
    let wait = WaitTable.shared.begin(.transaction(core, on: core.loop, name: "\(name)"))
    // Lifted first: workers begin with one while this thread runs another.
    items.forEach { _ = $0.move(to: OperationBacklog.boostedLevel) }
    items.forEach { $0.runIfQueued() }
    waitForWorkers()
    WaitTable.shared.end(wait)
    completeIfEnded()
  }

  /// Cancels it, and returns when it is complete, for a loop that closes. One whose
  /// completion closes the loop calls its other completions here.
  func finish() {
    if core.state.phase == .completing { callCompletions() } else { waitUntilComplete() }
  }

  /// Sleeps until operations that run elsewhere have ended.
  private func waitForWorkers() {
    guard core.state.unended > 0 else { return }
    let parking = Parking()
    core.parking = parking
    guard core.change({ $0.beginWait() }) else { return }
    parking.sleep()
    core.change { $0.endWait() }
  }
}
