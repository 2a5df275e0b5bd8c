public import LoopTransactions

/// An event loop that a test steps by hand, with a virtual clock.
///
/// Nothing blocks, and nothing depends on real time: ticks happen when the test
/// steps the loop, and timers fire when the test advances the clock. The loop
/// is a real libuv loop, so posts from other threads and descriptors work too.
/// It belongs to the thread that created it. Close it at the end of the test.
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
  public let loop: EventLoop

  /// The events that the test records.
  public let trace = Trace()

  private let time: VirtualTime

  /// Creates a stepped loop.
  ///
  /// Call on the thread that will step the loop, like all other functions of
  /// this type.
  ///
  /// - Parameter seed: Shuffles timers that are due at the same instant. If
  ///   nil, they fire in the order in which they were started.
  /// - Throws: `UVError` if the system is out of descriptors.
  public init(seed: UInt64? = nil) throws(UVError) {
    time = VirtualTime()
    loop = try EventLoop(wakeMethod: .best, time: time)
    guard let seed else { return }
    var generator = SeededGenerator(seed: seed)
    time.rank = { generator.next() }
  }

  /// The loop's current time.
  public var now: LoopClock.Instant { loop.now }

  /// Whether the loop would block now: it has no pending work, and no timer is
  /// due.
  ///
  /// Call on the loop.
  public var isIdle: Bool {
    // Reading the time checks the thread.
    _ = loop.now
    return !loop.hasWorkOrPosts && (time.nextDeadline.map { $0 > time.nanoseconds } ?? true)
  }

  /// Makes one tick that does not block. Due timers fire first.
  public func step() { loop.step() }

  /// Steps the loop until it would block. Returns the number of ticks.
  ///
  /// - Parameter limit: Traps if the loop is still busy after this many ticks.
  @discardableResult
  public func runUntilIdle(limit: Int = 100_000) -> Int {
    var ticks = 0
    while !isIdle {
      require(
        ticks < limit,
        "SteppedLoop.runUntilIdle: not idle after \(limit) ticks; look for endless work"
      )
      step()
      ticks += 1
    }
    return ticks
  }

  /// Advances the clock by `duration`. Stops at the deadline of each timer and
  /// steps the loop until it is idle.
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

  /// Advances the clock without making a tick, as a long-running callback does.
  ///
  /// If called in an action, this uses up the tick's budget.
  public func spend(_ duration: Duration) {
    time.move(to: now.advanced(by: duration).nanoseconds)
  }

  /// Closes the loop.
  ///
  /// - Throws: `UVError` if handles that the test opened are still open.
  public func close() throws(UVError) { try loop.close() }
}
