public import LoopTransactions

extension SteppedLoop {
  /// Runs the loop until all committed async transactions are complete. Blocks
  /// while real workers run their operations.
  ///
  /// Call on the loop. For transactions whose scheduler is not a
  /// `SteppedScheduler`. The clock does not advance meanwhile, unless an
  /// operation of a stepped scheduler needs time. Never returns if an operation
  /// waits for the thread of the test.
  ///
  /// If all operations that have not ended are tasks that sleep on the loop's
  /// clock, this writes a `SleepError` to standard error and returns, and
  /// `close()` throws that error. Call `advance(by:)` instead. If only a child
  /// task of an operation sleeps, this writes a hint and goes on waiting, because
  /// the operation may be waiting for something else.
  ///
  /// The loop knows its transactions only. So this does not wait for a
  /// transaction that is open, for operations that were added to a scheduler or
  /// a serial queue without a transaction, or for tasks. Use
  /// `waitForOperations(of:)` for the operations of a scheduler, and
  /// `value(of:)` for a task.
  public func waitForTransactions() {
    runUntilIdle()
    var patience = Patience("waitForTransactions")
    while loop.hasCommittedTransactions {
      if let due = workers.compactMap(\.nextDue).min() {
        time.move(to: due)
        runUntilIdle()
      } else if !waits(&patience, loop.firstWakeOfTransactions(time)) {
        return
      }
    }
    time.didWaitForAll()
  }

  /// Runs the loop once more. Returns false if the operations that the test
  /// waits for cannot end, because they sleep until `wake`.
  private func waits(_ patience: inout Patience, _ wake: @autoclosure () -> UInt64?) -> Bool {
    // Polls: a tick that blocks may itself run the post by which a task begins to
    // sleep, and nothing wakes the loop after that.
    let isIdle = runUntilIdle() == 0
    if let error = patience.next(isIdle, sleep: wake(), time) {
      System.logToStandardError("\(error)")
      waitError = waitError ?? error
      time.didWaitForAll()
      return false
    }
    System.yield()
    return true
  }

  /// Runs the loop until all operations of `scheduler` have ended and the loop
  /// is idle. Blocks while real workers run them.
  ///
  /// Call on the loop. Operations added without a transaction, the closures of
  /// the serial queues of `scheduler`, and operations that an operation or the
  /// loop adds meanwhile are waited for as well. Their posts and the completions
  /// of their transactions have run when this returns. The clock does not advance
  /// meanwhile, unless an operation of a stepped scheduler needs time. Never
  /// returns if an operation waits for the thread of the test. If all operations
  /// sleep on the loop's clock, this ends as `waitForTransactions()` does.
  ///
  /// ```swift
  /// let disk = SerialQueue("disk", on: scheduler)
  /// disk.add { write(page) }
  /// stepped.waitForOperations(of: scheduler)
  /// ```
  public func waitForOperations(of scheduler: OperationScheduler) {
    var patience = Patience("waitForOperations")
    repeat {
      runUntilIdle()
      // An operation ends after it has added others and posted, and the idle loop
      // adds none. So none is missed.
      while scheduler.hasOperations {
        if let due = workers.compactMap(\.nextDue).min() {
          time.move(to: due)
          runUntilIdle()
        } else if !waits(&patience, scheduler.firstWake(of: time.sleeps)) {
          return
        }
      }
      // The last operations may have posted after the loop became idle.
    } while runUntilIdle() > 0
    if !loop.hasCommittedTransactions { time.didWaitForAll() }
  }

  /// Steps the loop and its stepped schedulers until `task` has ended. Returns
  /// the task's value.
  ///
  /// Call on the loop, in a test that is isolated to an actor, such as one
  /// marked `@MainActor`. For tasks that await `OperationScheduler.run` or the
  /// loop. The clock does not advance. If the task sleeps on the loop's clock,
  /// this throws. If the task has not ended after the loop was idle for a while
  /// and a timer is waiting, such as one of a child task that sleeps, this writes
  /// when the timer is due to standard error, and goes on waiting.
  ///
  /// To test a task that sleeps, let it prefer `loop.port` as its executor.
  /// Then `runUntilIdle()` runs the task until it sleeps, and `advance(by:)`
  /// runs it further.
  ///
  /// ```swift
  /// let page = try await stepped.value(of: Task { try await pages.load(1) })
  /// ```
  ///
  /// - Throws: The error of the task. `SleepError` if the task sleeps until the
  ///   clock advances. It is not cancelled. `IsolationError` if the caller is
  ///   not isolated to an actor.
  public nonisolated(nonsending) func value<Success: Sendable, Failure: Error>(
    of task: Task<Success, Failure>
  ) async throws -> Success {
    try Self.checkIsolated("value", #isolation)
    let hasEnded = Locked(false)
    Task.detached {
      _ = await task.result
      hasEnded.withLock { $0 = true }
    }
    var patience = Patience("value")
    while !hasEnded.withLock({ $0 }) {
      let isIdle = runUntilIdle() == 0
      if let error = patience.next(isIdle, sleep: time.sleeps[task.hashValue], time) { throw error }
      await Task.yield()
    }
    time.didWaitForAll()
    return try await task.result.get()
  }
}

/// Notices that a task waits for a clock that stands still.
private struct Patience {
  // Other tasks of the test's actor may advance the clock, and each round lets
  // all of them run. Not measured.
  private static let rounds = 1000
  // A few tenths of a second. Not measured.
  private static let roundsBeforeHint = 100_000

  /// The function of `SteppedLoop` that the test called.
  private let operation: String
  private var idleRounds = 0

  init(_ operation: String) { self.operation = operation }

  /// Called once per round.
  ///
  /// - Parameter sleep: When the awaited task wakes, in nanoseconds.
  mutating func next(
    _ isIdle: Bool,
    sleep: @autoclosure () -> UInt64?,
    _ time: VirtualTime
  ) -> SteppedLoop.SleepError? {
    idleRounds = isIdle ? idleRounds + 1 : 0
    guard idleRounds >= Self.rounds else { return nil }
    // Not in every round, because looking for sleeps takes a while.
    if idleRounds % Self.rounds == 0, let sleep = sleep() {
      return SteppedLoop.SleepError(remaining: time.remaining(until: sleep), in: operation)
    }
    if idleRounds == Self.roundsBeforeHint, let due = time.nextDeadline { hint(due, time) }
    return nil
  }

  private func hint(_ due: UInt64, _ time: VirtualTime) {
    System.logToStandardError(
      """
      SteppedLoop.\(operation): the task has not ended, the loop is idle, and a timer is due in \
      \(time.remaining(until: due)) on its clock; if the task waits for it, call advance(by:)
      """
    )
  }
}

extension VirtualTime {
  /// The time from now until `due`.
  fileprivate func remaining(until due: UInt64) -> Duration {
    .nanoseconds(Int64(clamping: due > nanoseconds ? due - nanoseconds : 0))
  }
}
