public import LoopTransactions

/// An event loop that a test steps by hand, with a virtual clock.
///
/// Nothing blocks, and nothing depends on real time: ticks happen when the test
/// steps the loop, and timers fire when the test advances the clock. The
/// operations of a `SteppedScheduler` run when the loop is stepped, too. The
/// loop is a real libuv loop, so posts from other threads and descriptors work
/// as well. It belongs to the thread that created it. Close it at the end of
/// the test.
///
/// Use it in a synchronous test, or in an `async` test that is marked
/// `@MainActor` or is isolated to another actor. An `async` test changes threads
/// when it awaits, and the loop follows it on its actor.
///
/// In an `async` function, the initializers are `async`: `try await
/// SteppedLoop()`. They throw an `IsolationError` unless the function is
/// isolated to an actor. If a synchronous function creates the loop for such a
/// test and the test changes threads, `close()` throws a `MovedError`.
///
/// ```swift
/// let stepped = try SteppedLoop()
/// stepped.loop.addTimer(after: .seconds(60)) { _ in
///   stepped.trace.record("a minute")
/// }
/// stepped.advance(by: .seconds(60))
/// print(stepped.trace.events)
/// ```
///
/// It has the role of `EmbeddedEventLoop` in SwiftNIO.
public final class SteppedLoop {
  /// The loop under test.
  ///
  /// `run()` traps while a timer of the loop is waiting, because the virtual
  /// clock does not advance during a run.
  public var loop: EventLoop {
    eventLoop.core.followTask("SteppedLoop.loop")
    return eventLoop
  }

  /// The events that the test records.
  public let trace = Trace()

  private let eventLoop: EventLoop
  let time: VirtualTime
  let steps: StepChoices
  /// The workers of the loop's stepped schedulers.
  var workers: [SteppedWorkers] = []
  /// Whether the test read `isIdle` since the last step.
  var wasInspected = false
  /// The time of the last step.
  var lastStep: UInt64 = 0
  /// The first error of a wait that could not end.
  var waitError: SleepError?
  private(set) var isClosed = false
  /// The place that created the loop.
  private let place: String

  init(
    steps: StepChoices,
    isolation: (any Actor)?,
    place: String = "SteppedLoop.forEachOrder"
  ) throws(UVError) {
    self.steps = steps
    self.place = place
    time = VirtualTime(isOnActor: isolation != nil)
    time.choose = steps.choose(_:)
    eventLoop = try EventLoop(wakeMethod: .best, time: time)
  }

  // A test that fails before `close()` must not end the process.
  deinit {
    if eventLoop.isOpen {
      System.logToStandardError(
        """
        SteppedLoop: released without close(), which reports errors of the test; created at \
        \(place)
        """
      )
    }
    for workers in workers { workers.end() }
  }

  /// The loop's current time.
  public var now: LoopClock.Instant { loop.now }

  /// Whether the loop would block now: it has no pending work, no timer is due,
  /// and no operation of a stepped scheduler can go on.
  ///
  /// Call on the loop.
  public var isIdle: Bool {
    // Reading the time checks the thread.
    _ = loop.now
    wasInspected = true
    return !needsTick && workers.allSatisfy { $0.isIdle(at: time.nanoseconds) }
  }

  /// The choices between several possible steps so far, without the zeros at
  /// the end: which step came next, which of the timers that were due at the
  /// same instant fired next, and how much longer than the shortest time an
  /// operation took, in nanoseconds.
  ///
  /// `SteppedLoop(choices:)` repeats the run. Name them in the comment of an
  /// expectation inside `forEachOrder`. A loop that was created without a seed
  /// has none.
  public var choices: [Int] {
    let last = steps.path.lastIndex { $0 != 0 } ?? -1
    return Array(steps.path.prefix(last + 1))
  }

  /// Makes one tick that does not block. Due timers fire first. Runs no
  /// operation.
  public func step() { loop.step() }

  /// Steps the loop and its stepped schedulers until the loop would block.
  /// Returns the number of ticks.
  ///
  /// - Parameter limit: Traps if the loop is still busy after this many steps.
  @discardableResult
  public func runUntilIdle(limit: Int = 100_000) -> Int {
    var (count, ticks) = (0, 0)
    beginEpisode()
    while let isTick = takeNextStep() {
      count += 1
      require(
        count <= limit,
        "SteppedLoop.runUntilIdle: not idle after \(limit) steps; look for endless work"
      )
      if isTick { ticks += 1 }
    }
    return ticks
  }

  /// Advances the clock by `duration`. Stops at the deadline of each timer, and
  /// when an operation of a stepped scheduler may finish, and steps the loop
  /// until it is idle.
  public func advance(by duration: Duration) {
    let target = now.advanced(by: duration).nanoseconds
    runUntilIdle()
    while let next = nextDeadline, next <= target {
      time.move(to: next)
      runUntilIdle()
    }
    time.move(to: target)
    runUntilIdle()
  }

  /// Advances the clock without making a tick, as a long-running callback does.
  ///
  /// If called in an action, this uses up the tick's budget.
  public func spend(_ duration: Duration) {
    time.move(to: now.advanced(by: duration).nanoseconds)
  }

  /// Closes the loop. The remaining operations of its stepped schedulers run
  /// afterwards.
  ///
  /// Writes a hint to standard error if threads ran operations of an async
  /// transaction and the test did not wait for them, because the order of its
  /// steps then depends on the threads. It does so too if a loop with `choices`
  /// did not use all of them.
  ///
  /// - Throws: `UVError` if handles that the test opened are still open.
  ///   `MovedError` if the test changed threads and the loop was not created on
  ///   an actor. `SleepError` if a wait for operations could not end.
  ///   `UncommittedError` if async transactions with operations were not
  ///   committed. After these three errors the loop is closed.
  public func close() throws {
    let open = loop.openTransactionNames
    hintAtThreads()
    hintAtChoices()
    try loop.close()
    isClosed = true
    finishOperations()
    if time.didMoveWithoutActor, let operation = time.firstMove {
      throw MovedError(operation: "\(operation)")
    }
    if let waitError { throw waitError }
    if !open.isEmpty { throw UncommittedError(transactions: open) }
  }

  // Not an error, because a test may know by other means when its workers have
  // finished.
  private func hintAtThreads() {
    guard let name = time.threadedTransaction else { return }
    System.logToStandardError(
      """
      SteppedLoop.close: threads ran operations of \(name), and the test did not wait for \
      them; pass a SteppedScheduler's scheduler to the code, or call waitForTransactions()
      """
    )
  }

  // Not an error, because a test that fails ends early.
  private func hintAtChoices() {
    guard let choice = steps.unused.first else { return }
    System.logToStandardError(
      """
      SteppedLoop.close: the run ended before choices[\(steps.unused.startIndex)], which is \
      \(choice); pass the choices of a run of the same test
      """
    )
  }
}
