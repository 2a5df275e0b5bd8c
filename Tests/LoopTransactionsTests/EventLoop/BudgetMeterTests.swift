import Testing

@testable import LoopTransactions

@Suite("BudgetMeter")
struct BudgetMeterTests {
  @Test("a period ends at a time that the caller has read")  // L9
  func givenReading() {
    var meter = BudgetMeter(EventLoop.Budget(), clock: TimeSource(nil))
    func passed(_ cycles: UInt64) -> UInt64 {
      meter.begin()
      return meter.end(at: meter.start &+ cycles)
    }
    // At 0.1 to 10 GHz.
    let (one, two) = (passed(500_000_000), passed(1_000_000_000))
    #expect(one > 50_000_000 && one < 5_000_000_000)
    #expect(two == 2 * one || two == 2 * one + 1)
    // The counters of two CPUs may differ.
    meter.begin()
    #expect(meter.end(at: meter.start &- 1000) == 0)
    // No period is in progress.
    #expect(meter.end(at: meter.start &+ 1_000_000) == 0)
  }

  @Test("a budget of time is spent at its end, by the counter")  // L9
  func countedTime() {
    let budget = EventLoop.Budget(time: .milliseconds(100))
    var meter = BudgetMeter(budget, clock: TimeSource(nil))
    let cycles = CycleClock.Rate.measured.cycles(in: 100_000_000)
    meter.begin()
    #expect(meter.allowsMore(at: meter.start &+ cycles &- 10) == true)
    #expect(meter.allowsMore(at: meter.start &+ cycles) == false)
    _ = meter.end(at: meter.start &+ cycles)
    meter.begin()
    #expect(meter.allowsMore(at: meter.start) == false)
    _ = meter.end(at: meter.start)
    meter.refill()
    meter.begin()
    #expect(meter.allowsMore(at: meter.start) == true)
  }

  @Test("with a virtual clock, a period is measured by that clock")  // L9
  func virtualClock() {
    let time = VirtualTime(nanoseconds: 1_000)
    var meter = BudgetMeter(EventLoop.Budget(time: .nanoseconds(500)), clock: TimeSource(time))
    meter.begin()
    #expect(meter.allowsMore(at: 1_499) == true)
    #expect(meter.allowsMore(at: 1_500) == false)
    #expect(meter.end(at: 1_700) == 700)
    withExtendedLifetime(time) {}
  }

  @Test("a latest end applies until the meter is refilled")  // L9
  func latestEnd() {
    let time = VirtualTime(nanoseconds: 1_000)
    var meter = BudgetMeter(EventLoop.Budget(time: .nanoseconds(500)), clock: TimeSource(time))
    meter.limit(until: 1_200)
    meter.begin()
    #expect(meter.allowsMore(at: 1_199) == true)
    #expect(meter.allowsMore(at: 1_200) == false)
    _ = meter.end(at: 1_200)
    meter.extend(until: 9_000)
    meter.begin()
    #expect(meter.allowsMore(at: 8_999) == true)
    #expect(meter.allowsMore(at: 9_000) == false)
    _ = meter.end(at: 9_000)
    meter.refill()
    #expect(meter.hasRoom)
    withExtendedLifetime(time) {}
  }

  @Test("a meter that is refilled during a period is refilled again after it")  // L9
  func refilledWhileRunning() {
    var meter = BudgetMeter(EventLoop.Budget(count: 2), clock: TimeSource(nil))
    meter.begin()
    meter.refill()
    meter.begin()
    for _ in 0..<2 { meter.didPerform() }
    #expect(!meter.hasRoom)
    _ = meter.end()
    meter.refill()
    #expect(meter.hasRoom)
  }
}

@Suite(
  "BudgetMeter: pieces that are not timed",
  .enabled(if: System.fewMicroseconds > 0, "each piece is timed without a counter")
)
struct BudgetMeterPassTests {
  // The time after which a piece is no longer light, and one that is longer than
  // the budget. L9.
  private static let (light, far) = (System.fewMicroseconds / 10, UInt64(1) << 40)

  /// Returns the number of pieces until the time is read. `kinds` and `times`
  /// describe the first pieces by their kinds and by the counter at their ends.
  /// Pieces of the last kind follow, each of which exceeds the budget.
  private func count(_ kinds: [UInt], at times: [UInt64]) -> Int {
    var meter = BudgetMeter(EventLoop.Budget(), clock: TimeSource(nil))
    meter.begin()
    let start = meter.start
    for (kind, time) in zip(kinds, times) {
      guard meter.allowsMore(after: kind, at: start &+ time) else { return 0 }
    }
    for number in 1...100 {
      let end = start &+ UInt64(number) &* Self.far
      guard meter.allowsMore(after: kinds.last ?? 0, at: end) else { return kinds.count + number }
    }
    return .max
  }

  @Test("after two light pieces of one kind, three more run before the next one is timed")
  func light() {
    #expect(count([1, 1], at: [1, 2]) == 6)
    #expect(count([1, 2, 2], at: [1, 2, 3]) == 7)
  }

  @Test("after light pieces of two kinds, or of no kind, the next one is timed")
  func otherKinds() {
    #expect(count([1], at: [1]) == 2)
    #expect(count([1, 2], at: [1, 2]) == 3)
    #expect(count([0, 0], at: [1, 2]) == 3)
  }

  @Test("after a piece that is not light, the next one is timed")
  func heavy() {
    #expect(count([1, 1], at: [1, 1 + Self.light]) == 3)
    #expect(count([1, 1], at: [Self.light, 1 + Self.light]) == 3)
    #expect(count([1, 1, 1], at: [1, 1 + Self.light, 2 + Self.light]) == 4)
    #expect(count([1, 1, 0], at: [1, 1 + Self.light, 2 + Self.light]) == 4)
    #expect(count([0], at: [Self.light]) == 2)
  }
}
