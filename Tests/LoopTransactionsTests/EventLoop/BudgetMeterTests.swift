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
}
