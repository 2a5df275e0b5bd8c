import Testing

@testable import LoopTransactions

@Suite("BudgetMeter")
struct BudgetMeterTests {
  @Test(
    "a period ends at a reading of the counter that the caller has made",
    .enabled(if: System.hasInvariantCycles, "the clock is always read without such a counter")
  )  // L9
  func givenReading() {
    var meter = BudgetMeter(EventLoop.Budget(), time: TimeSource(nil))
    func passed(_ cycles: UInt64) -> UInt64 {
      meter.begin()
      return meter.end(at: meter.startCycles &+ cycles)
    }
    // Until the rate is known, a period is measured by the clock, which moves on.
    while passed(0) > 0 {}
    // At 0.1 to 10 GHz.
    let (one, two) = (passed(500_000_000), passed(1_000_000_000))
    #expect(one > 50_000_000 && one < 5_000_000_000)
    #expect(two == 2 * one || two == 2 * one + 1)
    // The counters of two CPUs may differ.
    meter.begin()
    #expect(meter.end(at: meter.startCycles &- 1000) == 0)
    // No period is in progress.
    #expect(meter.end(at: meter.startCycles &+ 1_000_000) == 0)
  }

  @Test("with a virtual clock, a period ends by that clock, not by the counter")  // L9
  func virtualClock() {
    let time = VirtualTime()
    var meter = BudgetMeter(EventLoop.Budget(), time: TimeSource(time))
    meter.begin()
    #expect(meter.end(at: meter.startCycles &+ 1_000_000_000) == 0)
    withExtendedLifetime(time) {}
  }

  @Test("a meter that is refilled during a period is refilled again after it")  // L9
  func refilledWhileRunning() {
    var meter = BudgetMeter(EventLoop.Budget(count: 2), time: TimeSource(nil))
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

// Each meter's time ends at once, so that a piece of work is the last one as
// soon as the clock is read.
@Suite(
  "BudgetMeter: pieces that are not timed",
  .enabled(if: System.cyclesPerReading > 0, "the clock is always read without a counter")
)
struct BudgetMeterPassTests {
  // The cycles after which a piece is no longer light, and after which the clock
  // is read. L9.
  private static let (light, far) = (System.cyclesPerReading / 10, 2 * System.cyclesPerReading)

  /// Returns the number of pieces until the clock is read. `kinds` and `cycles`
  /// describe the first pieces by their kinds and by the counter at their ends.
  /// Pieces of the last kind follow, which take long.
  private func count(_ kinds: [UInt], at cycles: [UInt64]) -> Int {
    var meter = BudgetMeter(EventLoop.Budget(), time: TimeSource(nil))
    meter.limit(until: 0)
    meter.begin()
    let start = meter.startCycles
    for (kind, cycles) in zip(kinds, cycles) {
      guard meter.allowsMore(after: kind, at: start &+ cycles) else { return 0 }
    }
    for number in 1...100 {
      let end = start &+ UInt64(number) &* Self.far
      guard meter.allowsMore(after: kinds.last ?? 0, at: end) else { return kinds.count + number }
    }
    return .max
  }

  @Test("after two light pieces of one kind, three more run before the clock is read")
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
