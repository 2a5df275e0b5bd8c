import LoopTransactions
import Testing

@Suite("LoopClock")
struct LoopClockTests {
  @Test("an instant advances by a duration, also by a negative one")  // L10
  func advances() {
    let start = LoopClock.Instant(nanoseconds: 1_000)
    let end = start.advanced(by: .nanoseconds(500))
    #expect(end.nanoseconds == 1_500)
    #expect(start.duration(to: end) == .nanoseconds(500))
    #expect(end.duration(to: start) == .nanoseconds(-500))
    #expect(end.advanced(by: .nanoseconds(-500)) == start)
    #expect(start < end)
  }

  @Test("advancing an instant stays within the clock's range")  // L10
  func clamps() {
    let start = LoopClock.Instant(nanoseconds: 1_000)
    #expect(start.advanced(by: .seconds(Int64.min)).nanoseconds == 0)
    let far = LoopClock.Instant(nanoseconds: .max - 1)
    #expect(far.advanced(by: .seconds(Int64.max)).nanoseconds == .max)
    #expect(start.duration(to: far) == .nanoseconds(Int64.max))
  }

  @Test("the clock does not run backwards")
  func monotonic() {
    let first = LoopClock.now
    #expect(LoopClock.now >= first)
  }
}
