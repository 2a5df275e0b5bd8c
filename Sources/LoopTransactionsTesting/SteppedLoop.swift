public import LoopTransactions

/// An event loop that a test steps by hand, on a clock of its own.
///
/// Nothing blocks and nothing waits for the wall: ticks happen when they are
/// asked for, timers fire when the clock is moved. The loop is a real one, on
/// libuv, so posts from other threads and descriptors work too. Belongs to the
/// thread that made it; close it at the end of the test.
///
/// ```swift
/// let stepped = try SteppedLoop()
/// stepped.loop.addTimer(after: .seconds(60)) { _ in stepped.trace.record("a minute") }
/// stepped.advance(by: .seconds(60))
/// print(stepped.trace.events)
/// ```
public final class SteppedLoop {
  /// The loop, for what is tested.
  ///
  /// `run()` traps while one of its timers waits: the clock stands still in it.
  public let loop: EventLoop

  /// What happened, as far as the test records it.
  public let trace = Trace()

  private let time: VirtualTime

  /// A loop that stands still.
  ///
  /// Call on the thread that is to step it, as everything else here.
  ///
  /// - Parameter seed: Shuffles the order of timers that are due at the same
  ///   instant; nil keeps the order in which they were started.
  /// - Throws: `UVError` if the system is out of descriptors.
  public init(seed: UInt64? = nil) throws(UVError) {
    time = VirtualTime()
    loop = try EventLoop(wakeMethod: .best, time: time)
    guard let seed else { return }
    var generator = SeededGenerator(seed: seed)
    time.rank = { generator.next() }
  }

  /// The clock of the loop.
  public var now: LoopClock.Instant { loop.now }

  /// Whether the loop would block now, because it owes nothing and no timer is
  /// due.
  ///
  /// Call on the loop.
  public var isIdle: Bool {
    // Checks the thread.
    _ = loop.now
    return !loop.hasWorkOrPosts && (time.nextDeadline.map { $0 > time.nanoseconds } ?? true)
  }

  /// Makes one tick that does not block: timers that are due, then the rest.
  public func step() { loop.step() }

  /// Steps until the loop would block; how many ticks that took.
  ///
  /// - Parameter limit: Traps past so many ticks: something keeps the loop busy.
  @discardableResult
  public func runUntilIdle(limit: Int = 100_000) -> Int {
    var ticks = 0
    while !isIdle {
      require(ticks < limit, "SteppedLoop: must be idle within \(limit) ticks, and was not")
      step()
      ticks += 1
    }
    return ticks
  }

  /// Moves the clock on, stopping at each timer on the way, and steps until idle
  /// at each stop.
  public func advance(by duration: Duration) {
    let target = now.advanced(by: duration).nanoseconds
    runUntilIdle()
    while let next = time.nextDeadline, next <= target {
      time.move(to: next)
      runUntilIdle()
    }
    time.move(to: target)
    runUntilIdle()
  }

  /// Lets time pass without a tick, as a callback that takes that long does.
  ///
  /// Called from within an action it uses up the tick's budget.
  public func spend(_ duration: Duration) {
    time.move(to: now.advanced(by: duration).nanoseconds)
  }

  /// Closes the loop.
  ///
  /// - Throws: `UVError` if handles that the test opened are still open.
  public func close() throws(UVError) { try loop.close() }
}
