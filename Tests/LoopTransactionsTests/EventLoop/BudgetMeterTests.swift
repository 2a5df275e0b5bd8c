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
    let rate = CycleClock().rate
    // A period without a known rate is measured by the clock, which has moved on.
    var isCounted = false
    while !isCounted {
      meter.begin()
      let start = meter.startCycles
      let passed = meter.end(at: start &+ 1_000_000_000)
      // About 0.4 s at the usual rates.
      isCounted = passed > 100_000_000
      if isCounted {
        let expected = rate.nanoseconds(of: 1_000_000_000)
        // The error of a rate that is measured over 1 ms is 0.02 %.
        #expect(passed > expected - expected / 1000 && passed < expected + expected / 1000)
      }
    }
    meter.begin()
    #expect(meter.end(at: meter.startCycles) == 0)
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
}
