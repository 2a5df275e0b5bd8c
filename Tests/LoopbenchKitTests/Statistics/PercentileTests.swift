import LoopbenchKit
import Testing

@Suite("Percentile")
struct PercentileTests {
  @Test(
    "a percentile is resolved if at least one sample lies above it",
    arguments: [
      (Percentile.p50, UInt64(1)), (.p90, 10), (.p99, 100), (.p999, 1000), (.max, 1),
    ]
  )
  func resolved(percentile: Percentile, least: UInt64) throws {
    #expect(percentile.isResolved(by: least))
    #expect(!percentile.isResolved(by: least - 1))
    #expect(percentile == .max || least == 1 || percentile.rank(in: least) < least)
  }

  @Test("the percentile 99.999 needs 100000 samples")
  func finest() throws {
    let percentile = try #require(Percentile("99.999"))
    #expect(percentile.isResolved(by: 100_000) && !percentile.isResolved(by: 99_999))
  }
}
