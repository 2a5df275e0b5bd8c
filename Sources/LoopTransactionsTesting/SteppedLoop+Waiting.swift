import LoopTransactions

extension SteppedLoop {
  /// Runs the loop until all committed transactions are complete. Blocks while
  /// real workers run their operations.
  ///
  /// Call on the loop. For transactions whose scheduler is not a
  /// `SteppedScheduler`. The clock does not advance meanwhile, unless an
  /// operation of a stepped scheduler needs time. Does not wait for a
  /// transaction that is open, or for operations of no transaction. Never
  /// returns if an operation waits for the thread of the test.
  public func waitForOperations() {
    runUntilIdle()
    while loop.hasCommittedTransactions {
      if let due = workers.compactMap(\.nextDue).min() {
        time.move(to: due)
      } else {
        loop.stepWhenWoken()
      }
      runUntilIdle()
    }
  }

  /// Steps the loop and its stepped schedulers until `task` has ended. Returns
  /// the task's value.
  ///
  /// Call on the loop, in a test that is marked `@MainActor`. For tasks that
  /// await `OperationScheduler.run` or the loop. The clock does not advance, so
  /// a task that sleeps never ends.
  ///
  /// ```swift
  /// let page = try await stepped.value(of: Task { try await pages.load(1) })
  /// ```
  ///
  /// - Throws: The error of the task.
  public nonisolated(nonsending) func value<Success: Sendable, Failure: Error>(
    of task: Task<Success, Failure>
  ) async throws(Failure) -> Success {
    let hasEnded = Locked(false)
    Task.detached {
      _ = await task.result
      hasEnded.withLock { $0 = true }
    }
    while !hasEnded.withLock({ $0 }) {
      runUntilIdle()
      await Task.yield()
    }
    return try await task.result.get()
  }
}
