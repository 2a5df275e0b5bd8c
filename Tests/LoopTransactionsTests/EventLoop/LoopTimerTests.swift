import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("LoopTimer")
struct LoopTimerTests {
  /// The kind of timer under test.
  enum Source: CaseIterable, Sendable {
    case milliseconds, precise

    /// Adds a timer of this kind.
    func add(
      to loop: EventLoop,
      after delay: Duration,
      every interval: Duration? = nil,
      _ body: @escaping (LoopTimer.Firing) -> Void
    ) throws -> LoopTimer {
      switch self {
      case .milliseconds: loop.addTimer(after: delay, every: interval, body)
      case .precise:
        try loop.addPreciseTimer(at: loop.now.advanced(by: delay), every: interval, body)
      }
    }
  }

  @Test("timers fire in deadline order, and with equal deadlines in the order started")  // L10
  func order() throws {
    try withSteppedLoop { stepped in
      for (name, delay) in [("a", 20), ("b", 10), ("c", 20), ("d", 0)] {
        stepped.loop.addTimer(after: .milliseconds(delay)) { _ in stepped.trace.record(name) }
      }
      stepped.advance(by: .milliseconds(19))
      #expect(stepped.trace.take() == ["d", "b"])
      stepped.advance(by: .milliseconds(1))
      #expect(stepped.trace.events == ["a", "c"])
    }
  }

  @Test(
    "a timer is never early, with any fraction of a millisecond",
    arguments: Source.allCases
  )
  func neverEarly(source: Source) throws {  // L10
    try withLoop { loop in
      var early = 0
      var fired = 0
      var generator = SeededGenerator(seed: 1)
      for _ in 0..<50 {
        let delay = Duration.nanoseconds(Int64.random(in: 0...5_000_000, using: &generator))
        let deadline = loop.now.advanced(by: delay)
        _ = try source.add(to: loop, after: delay) { firing in
          fired += 1
          if loop.now < deadline || firing.deadline < deadline { early += 1 }
        }
      }
      loop.run()
      #expect(fired == 50)
      #expect(early == 0)
    }
  }

  @Test(
    "a repeating timer stays aligned to its first deadline, and never drifts",
    arguments: Source.allCases
  )
  func noDrift(source: Source) throws {  // L10
    try withLoop { loop in
      let period = Duration.microseconds(1700)
      var deadlines: [LoopClock.Instant] = []
      var calls = 0
      let timer = try source.add(to: loop, after: period, every: period) { firing in
        calls += 1 + firing.missed
        deadlines.append(firing.deadline)
        if deadlines.count == 10 { loop.stop() }
      }
      let first = timer.deadline
      loop.run()
      timer.cancel()
      let counted = first.advanced(by: period * (calls - 1))
      #expect(deadlines.last == counted)
    }
  }

  @Test("missed periods are counted, and not delivered later")  // L10
  func missed() throws {
    try withSteppedLoop { stepped in
      let start = stepped.now
      stepped.loop.addTimer(after: .milliseconds(10), every: .milliseconds(10)) { firing in
        stepped.trace.record("\(start.duration(to: firing.deadline)), missed \(firing.missed)")
        if stepped.trace.events.count == 1 { stepped.spend(.milliseconds(35)) }
      }
      stepped.advance(by: .milliseconds(60))
      #expect(
        stepped.trace.events == [
          "0.01 seconds, missed 0", "0.04 seconds, missed 2", "0.05 seconds, missed 0",
          "0.06 seconds, missed 0",
        ]
      )
    }
  }

  @Test("a timer cancelled in its own callback does not fire again", arguments: Source.allCases)
  func cancelInside(source: Source) throws {  // L10
    try withLoop { loop in
      var fired = 0
      var timer: LoopTimer?
      timer = try source.add(to: loop, after: .zero, every: .milliseconds(1)) { _ in
        fired += 1
        timer?.cancel()
        timer?.cancel()
      }
      #expect(loop.run() == .finished)
      #expect(fired == 1)
      #expect(timer?.isActive == false)
    }
  }

  @Test("a timer cancelled by another timer that is due at the same time does not fire")  // L10
  func cancelOther() throws {
    try withSteppedLoop { stepped in
      var timers: [LoopTimer] = []
      for number in 0..<2 {
        timers.append(
          stepped.loop.addTimer(after: .milliseconds(1)) { _ in
            stepped.trace.record("\(number)")
            timers[1 - number].cancel()
          }
        )
      }
      stepped.advance(by: .milliseconds(5))
      #expect(stepped.trace.events == ["0"])
    }
  }

  @Test(
    "a timer that ends releases its callback, even if the timer is retained",
    arguments: [true, false]
  )
  func releases(cancels: Bool) throws {  // L10
    try withSteppedLoop { stepped in
      let trace = stepped.trace
      let witness = Witness { trace.record("released") }
      let timer = stepped.loop.addTimer(after: .milliseconds(1)) { [witness] _ in witness.touch() }
      _ = consume witness
      if cancels { timer.cancel() } else { stepped.advance(by: .milliseconds(1)) }
      #expect(trace.events == ["released"])
      #expect(!timer.isActive)
    }
  }

  @Test(
    "each zero-delay timer started by a timer fires in a later tick",
    arguments: Source.allCases
  )  // L10
  func zeroDelays(source: Source) throws {
    try withLoop { loop in
      var ticks: [UInt64] = []
      func again(_: LoopTimer.Firing) {
        ticks.append(loop.metrics.ticks)
        if ticks.count < 10 { _ = try? source.add(to: loop, after: .zero, again) }
      }
      _ = try source.add(to: loop, after: .zero, again)
      loop.run()
      #expect(ticks.count == 10)
      #expect(Set(ticks).count == 10)
    }
  }

  @Test(
    "an interval below a millisecond fires at most once per tick",
    arguments: Source.allCases
  )  // L10
  func shortInterval(source: Source) throws {
    try withLoop { loop in
      var ticks: [UInt64] = []
      _ = try source.add(to: loop, after: .zero, every: .microseconds(10)) { _ in
        ticks.append(loop.metrics.ticks)
        if ticks.count == 10 { loop.stop() }
      }
      loop.run()
      #expect(Set(ticks).count == 10)
    }
  }

  @Test("a run does not wait for a timer with keepsLoopAlive false", arguments: Source.allCases)
  func keepsLoopAlive(source: Source) throws {  // L10
    try withLoop { loop in
      let timer = try source.add(to: loop, after: .seconds(3600)) { _ in }
      timer.keepsLoopAlive = false
      #expect(loop.run() == .finished)
      #expect(timer.isActive)
      timer.keepsLoopAlive = true
      #expect(loop.run(.noWait) == .ticked)
    }
  }

  @Test(
    "the kernel timer is set to a precise timer's deadline to the nanosecond",
    .enabled(if: Interposed.isAvailable)
  )  // L10
  func toTheNanosecond() throws {
    try withLoop { loop in
      let deadline = LoopClock.Instant(nanoseconds: 1_000_000_001)
      let timer = try loop.addPreciseTimer(at: deadline, every: .nanoseconds(1_000_000_007)) { _ in
      }
      loop.addObserver(for: .afterWaiting, repeats: false) { _ in
        #expect(Interposed.deadline == deadline.nanoseconds)
      }
      loop.run(.once)
      loop.run(.noWait)
      #expect(Interposed.deadline == timer.deadline.nanoseconds)
      #expect((timer.deadline.nanoseconds - deadline.nanoseconds) % 1_000_000_007 == 0)
    }
  }

  @Test("a precise timer whose deadline has passed fires immediately")  // L10
  func preciseInThePast() throws {
    try withLoop { loop in
      var deadlines: [LoopClock.Instant] = []
      // The kernel does not start a timer with the value zero, the clock's
      // origin.
      let past = [0, 1].map(LoopClock.Instant.init)
      for deadline in past {
        try loop.addPreciseTimer(at: deadline) { deadlines.append($0.deadline) }
      }
      #expect(loop.runInTime() == .finished)
      #expect(deadlines.sorted() == past)
    }
  }

  @Test("a delay beyond the clock's range waits, and does not trap", arguments: Source.allCases)
  func far(source: Source) throws {  // L10
    try withLoop { loop in
      let timer = try source.add(to: loop, after: .seconds(Int64.max)) { _ in }
      #expect(loop.run(.noWait) == .ticked)
      #expect(timer.isActive)
    }
  }

  @Test("a timer's commit is performed in the same tick, before the loop blocks")  // L5, L10
  func commits() throws {
    try withSteppedLoop { stepped in
      let (loop, trace) = (stepped.loop, stepped.trace)
      trace.follow(loop, .afterWaiting)
      loop.addTimer(after: .zero) { _ in loop.commit { trace.record("performed") } }
      stepped.step()
      #expect(trace.events == ["performed", "afterWaiting"])
    }
  }

  @Test("a callback's deinit may query its timer and cancel others")  // L10
  func releaseReenters() throws {
    try withLoop { loop in
      let others = (0..<3).map { _ in loop.addTimer(after: .seconds(3600)) { _ in } }
      let slot = Slot()
      slot.timer = loop.addTimer(after: .seconds(3600)) { [guardian = Guardian(slot, others)] _ in
        withExtendedLifetime(guardian) {}
      }
      slot.timer?.cancel()
      #expect(slot.wasActive == false)
      #expect(others.allSatisfy { !$0.isActive })
    }
  }

  @Test("closing a loop whose timers cancel each other cancels all of them")  // L10, L11
  func closeReenters() throws {
    let loop = try EventLoop()
    let slot = Slot()
    var timers: [LoopTimer] = []
    for _ in 0..<3 { timers.append(loop.addTimer(after: .seconds(3600)) { _ in }) }
    slot.timer = loop.addTimer(after: .seconds(3600)) { [guardian = Guardian(slot, timers)] _ in
      withExtendedLifetime(guardian) {}
    }
    timers = []
    try loop.close()
    #expect(slot.wasActive == false)
  }
}

private final class Slot {
  var timer: LoopTimer?
  var wasActive: Bool?
}

/// Queries the slot's timer and cancels others when it is released.
private final class Guardian {
  private let slot: Slot
  private let others: [LoopTimer]

  init(_ slot: Slot, _ others: [LoopTimer]) {
    self.slot = slot
    self.others = others
  }

  deinit {
    slot.wasActive = slot.timer?.isActive
    for timer in others { timer.cancel() }
  }
}
