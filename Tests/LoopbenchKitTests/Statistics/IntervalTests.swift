import LoopTransactionsTesting
import LoopbenchKit
import LoopbenchTestSupport
import TestSupport
import Testing

@Suite("Spread")
struct SpreadTests {
  @Test("the median of an odd count is the middle value")
  func odd() {
    let spread = Spread(of: [9, 1, 5])
    #expect(spread?.median == 5)
    #expect(spread?.low == 1)
    #expect(spread?.high == 9)
  }

  @Test("the median of an even count is the mean of the two middle values")
  func even() {
    #expect(Spread(of: [4, 1, 3, 100])?.median == 3.5)
  }

  @Test("the spread of no values is nil")
  func empty() {
    #expect(Spread(of: []) == nil)
  }
}

@Suite("Bootstrap")
struct BootstrapTests {
  @Test("equal values in any order produce equal intervals")
  func deterministic() throws {
    let values = Distribution.heavyTail.samples(21, seed: 3)
    let interval = try #require(Bootstrap.median(of: values))
    #expect(Bootstrap.median(of: values.reversed()) == interval)
    let median = try #require(Spread(of: values)?.median)
    #expect(interval.low < median && median < interval.high)
    #expect(interval.low >= values.min() ?? 0 && interval.high <= values.max() ?? 0)
  }

  @Test("identical values produce an interval of width 0, and no values produce nil")
  func degenerate() {
    #expect(Bootstrap.median(of: [2, 2, 2]) == Interval(low: 2, high: 2))
    #expect(Bootstrap.median(of: []) == nil)
    #expect(Bootstrap.ratio(of: [4, 4], to: [2, 2, 2]) == Interval(low: 2, high: 2))
    #expect(Bootstrap.ratio(of: [4], to: []) == nil)
    #expect(Bootstrap.ratio(of: [4], to: [0]) == nil)
  }

  @Test("one outlier in 15 rounds does not move the interval")
  func outlier() throws {
    let quiet = (0..<15).map { 100 + Double($0) }
    let wild = quiet.dropLast() + [1e9]
    let interval = try #require(Bootstrap.median(of: Array(wild)))
    #expect(interval.high < 115)
  }

  @Test(
    "for samples with a true median of 1000, about 95 % of 200 intervals contain 1000",
    .enabled(if: !Interposed.isSanitized, "arithmetic on one thread, slow with a sanitizer")
  )
  func coverage() {
    let hits = (UInt64(0)..<200).filter { seed in
      var generator = SeededGenerator(seed: seed, stream: 0)
      let values = (0..<15).map { _ in 500 + 1000 * generator.uniform() }
      return Bootstrap.median(of: values).map { $0.low <= 1000 && 1000 <= $0.high } ?? false
    }.count
    #expect((180...198).contains(hits), "\(hits)")
  }

  @Test("a mirrored interval contains 1, the interval and its inverse")
  func mirrored() {
    let mirrored = Interval(low: 1.02, high: 1.25).mirrored
    #expect(mirrored == Interval(low: 0.8, high: 1.25))
    #expect(Interval(low: 0, high: 0).mirrored == Interval(low: 0, high: 1))
  }
}
