import LoopbenchKit
import LoopbenchTestSupport
import Testing

@Suite("Histogram, by property")
struct HistogramPropertyTests {
  /// Spread evenly over the powers of two from 1 ns to 1 h.
  private func samples(_ count: Int, seed: UInt64) -> [Double] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { _ in
      let octave = Double(1 << generator.number(below: 41))
      return min(3.6e12, octave * (1 + generator.uniform()))
    }
  }

  @Test(
    "from 1 ns to 1 h every percentile is within 0.4 % of the sorted samples",
    arguments: 1...20
  )
  func percentiles(seed: UInt64) {
    let samples = samples(1000 + Int(seed) * 37, seed: seed)
    let sorted = samples.sorted()
    let histogram = Histogram(of: samples)
    for thousandths in stride(from: 0, through: 100_000, by: 500) {
      let percentile = Percentile(label: "\(thousandths)", thousandths: thousandths)
      let exact = sorted[Int(percentile.rank(in: UInt64(sorted.count))) - 1]
      #expect(abs(histogram.value(at: percentile) - exact) <= 0.004 * exact)
    }
  }

  @Test("the ends of the range, 1 ns and 1 h, are within 0.4 %")
  func ends() {
    for value in [1, 1.001, 3.599e12, 3.6e12] {
      let histogram = Histogram(of: [value, value, value])
      #expect(abs(histogram.value(at: .p50) - value) <= 0.004 * value)
      #expect(histogram.saturated == 0)
    }
  }

  @Test("one for each of four threads, merged in any order, is one of all samples")
  func threads() throws {
    let parts = (UInt64(0)..<4).map { samples(5000, seed: $0) }
    let filled = HandOff<[Histogram]>()
    filled.value = try parts.map { part in
      try PlacedThread.run(cpu: nil) { () throws(PeerFailure) in Histogram(of: part) }
    }
    let whole = Histogram(of: parts.joined())
    let histograms = try #require(filled.value)
    for order in [[0, 1, 2, 3], [3, 1, 0, 2]] {
      var merged = Histogram()
      for index in order { merged.merge(histograms[index]) }
      #expect(merged.buckets == whole.buckets)
      #expect(merged.count == 20_000)
      #expect((merged.min, merged.max) == (whole.min, whole.max))
      #expect(abs(merged.mean - whole.mean) <= 1e-9 * whole.mean)
    }
  }

  @Test("its memory is fixed: the buckets are as many after a million samples")
  func memory() {
    var histogram = Histogram()
    let before = histogram.buckets.count
    for sample in samples(10_000, seed: 1) {
      for _ in 0..<100 { histogram.record(nanoseconds: sample) }
    }
    #expect(histogram.count == 1_000_000)
    #expect(histogram.buckets.count == before)
    #expect(before * 8 < 100_000)
  }

  @Test("what a round keeps gives back its histogram")
  func sparse() {
    let one = Histogram(of: samples(3000, seed: 5))
    var copy = Histogram()
    copy.merge(SparseHistogram(one))
    #expect(copy.buckets == one.buckets)
    #expect((copy.count, copy.min, copy.max) == (one.count, one.min, one.max))
    copy.merge(SparseHistogram(Histogram()))
    #expect((copy.count, copy.min, copy.max) == (one.count, one.min, one.max))
  }
}
