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
/// `@MainActor`. An `async` test changes threads when it awaits, and the loop
/// follows it. If the test is not isolated to an actor, `close()` then throws a
/// `MovedError`. In a release build, call a function of this type after an
/// `await` before you use the loop itself. Otherwise the loop traps.
///
/// ```swift
/// let stepped = try SteppedLoop()
/// stepped.loop.addTimer(after: .seconds(60)) { _ in stepped.trace.record("a minute") }
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
  private(set) var isClosed = false

  /// Creates a stepped loop.
  ///
  /// Call on the thread that will step the loop, like all other functions of
  /// this type.
  ///
  /// - Parameters:
  ///   - seed: Shuffles timers that are due at the same instant, and the steps
  ///     of the loop and of its stepped schedulers. If nil, timers fire in the
  ///     order in which they were started, and operations finish in the order
  ///     in which they begin.
  ///   - isolation: The actor of the test. Keep the default.
  /// - Throws: `UVError` if the system is out of descriptors.
  public convenience init(
    seed: UInt64? = nil,
    isolation: (any Actor)? = #isolation
  ) throws(UVError) {
    // Two sequences, so that the order of the timers does not depend on the
    // schedulers.
    try self.init(steps: StepChoices(seed: seed.map { ~$0 }), isolation: isolation)
    guard let seed else { return }
    var generator = SeededGenerator(seed: seed)
    time.rank = { generator.next() }
  }

  /// Creates a stepped loop that repeats the order of another loop.
  ///
  /// Call on the thread that will step the loop.
  ///
  /// - Parameters:
  ///   - choices: The `choices` of the other loop. Later choices are 0.
  ///   - isolation: The actor of the test. Keep the default.
  /// - Throws: `UVError` if the system is out of descriptors.
  public convenience init(
    choices: [Int],
    isolation: (any Actor)? = #isolation
  ) throws(UVError) {
    try self.init(steps: StepChoices(script: choices), isolation: isolation)
  }

  init(steps: StepChoices, isolation: (any Actor)?) throws(UVError) {
    self.steps = steps
    time = VirtualTime(isOnActor: isolation != nil)
    eventLoop = try EventLoop(wakeMethod: .best, time: time)
  }

  // A test that fails before `close()` must not end the process.
  deinit {
    if !isClosed { eventLoop.trapsWhenReleasedOpen = false }
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
    return !needsTick && workers.allSatisfy { $0.steps(at: time.nanoseconds).isEmpty }
  }

  /// The choices between several possible steps so far, without the zeros at
  /// the end.
  ///
  /// `SteppedLoop(choices:)` repeats the order. Name them in the comment of an
  /// expectation inside `forEachOrder`.
  public var choices: [Int] {
    let last = steps.path.lastIndex { $0.index != 0 } ?? -1
    return steps.path.prefix(last + 1).map(\.index)
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
    while let step = nextStep() {
      require(
        count < limit,
        "SteppedLoop.runUntilIdle: not idle after \(limit) steps; look for endless work"
      )
      count += 1
      if take(step) { ticks += 1 }
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
  /// - Throws: `UVError` if handles that the test opened are still open.
  ///   `MovedError` if the test changed threads and is not isolated to an actor.
  public func close() throws {
    steps.note(interventions: interventions)
    try loop.close()
    isClosed = true
    finishOperations()
    guard time.didMoveWithoutActor, let operation = time.firstMove else { return }
    throw MovedError(operation: "\(operation)")
  }
}

// The steps.
extension SteppedLoop {
  /// A step of the loop or of a worker.
  enum Step {
    case tick
    case work(SteppedWorkers, SteppedWorkers.Step)
  }

  /// When the next timer or operation is due, in nanoseconds.
  var nextDeadline: UInt64? {
    let due = workers.compactMap(\.nextDue).filter { $0 > time.nanoseconds }
    return (due + [time.nextDeadline].compactMap { $0 }).min()
  }

  /// Whether the loop has work for a tick.
  private var needsTick: Bool {
    loop.hasWorkOrPosts || (time.nextDeadline.map { $0 <= time.nanoseconds } ?? false)
  }

  private var interventions: UInt64 { workers.reduce(0) { $0 &+ $1.interventions } }

  /// Chooses one of the possible steps. Returns nil if the loop would block.
  private func nextStep() -> Step? {
    // Reading the time checks the thread.
    let now = loop.now.nanoseconds
    // Allocates nothing, so that tests can count the allocations of a tick.
    if workers.isEmpty { return needsTick ? .tick : nil }
    var (beginnings, others) = ([Step](), needsTick ? [Step.tick] : [])
    for workers in workers {
      for step in workers.steps(at: now) {
        if case .begin = step {
          beginnings.append(.work(workers, step))
        } else {
          others.append(.work(workers, step))
        }
      }
    }
    let all = beginnings + others
    return all.isEmpty ? nil : all[choose(all.count, beginnings: beginnings.count)]
  }

  /// Takes a step. Returns whether it was a tick.
  @discardableResult
  private func take(_ step: Step) -> Bool {
    switch step {
    case .tick:
      self.step()
      return true
    case .work(let workers, let step):
      take(step, of: workers)
      return false
    }
  }

  func choose(_ count: Int, beginnings: Int) -> Int {
    steps.note(interventions: interventions)
    return steps.choose(count, beginnings: beginnings)
  }

  /// Takes a step of `workers`. The body of an operation is not on the loop.
  func take(_ step: SteppedWorkers.Step, of workers: SteppedWorkers) {
    switch step {
    case .begin: workers.take(step)
    case .finish: loop.core.leavingThread { workers.take(step) }
    }
  }

  private func finishOperations() {
    for workers in workers {
      var count = 0
      while let step = workers.steps(at: .max).first {
        require(
          count < 100_000,
          "SteppedLoop.close: operations remain after \(count) steps; look for endless work"
        )
        count += 1
        take(step, of: workers)
      }
      workers.end()
    }
  }
}
