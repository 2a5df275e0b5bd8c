import LoopTransactionsTesting
import LoopbenchKit
import LoopbenchTestSupport
import Testing

@Suite("Histogram")
struct HistogramTests {
  @Test("every percentile is within 0.4 % of the sorted samples", arguments: Distribution.allCases)
  func percentiles(of distribution: Distribution) {
    let samples = distribution.samples(20_000, seed: 7)
    let sorted = samples.sorted()
    let histogram = Histogram(of: samples)
    for percentile in Percentile.standard {
      let exact = sorted[Int(percentile.rank(in: UInt64(sorted.count))) - 1]
      let found = histogram.value(at: percentile)
      #expect(abs(found - exact) <= max(0.004 * exact, 0.0005), "\(percentile.label)")
    }
  }

  @Test("count, min, max, mean and standard deviation are exact")
  func moments() {
    let histogram = Histogram(of: [1.5, 2.5, 4, 100])
    #expect(histogram.count == 4)
    #expect(histogram.min == 1.5)
    #expect(histogram.max == 100)
    #expect(abs(histogram.mean - 27) < 1e-9)
    #expect(abs(histogram.standardDeviation - 48.6775) < 1e-3)
  }

  @Test("merging two parts gives the histogram of all samples", arguments: Distribution.allCases)
  func merge(of distribution: Distribution) {
    let samples = distribution.samples(5000, seed: 3)
    var merged = Histogram(of: samples.prefix(1234))
    merged.merge(SparseHistogram(Histogram(of: samples.dropFirst(1234))))
    let whole = Histogram(of: samples[...])
    #expect(merged.buckets == whole.buckets)
    #expect(merged.count == whole.count)
    #expect(merged.min == whole.min)
    #expect(merged.max == whole.max)
    #expect(abs(merged.mean - whole.mean) <= 1e-9 * whole.mean)
    #expect(abs(merged.standardDeviation - whole.standardDeviation) <= 1e-6 * whole.mean)
  }

  @Test("merging an empty histogram changes nothing")
  func mergeEmpty() {
    var histogram = Histogram(of: [1, 2, 3])
    let before = histogram
    histogram.merge(SparseHistogram(Histogram()))
    #expect(histogram == before)
  }

  @Test("from 1 ns to 1 h, a bucket's middle is within 0.2 % of every value in the bucket")
  func error() {
    var value: UInt64 = 1000
    while value <= 3_600_000_000_000_000 {
      for candidate in [value - 1, value, value + 1, value + value / 3] {
        let middle = Histogram.middle(ofBucket: Histogram.bucket(of: candidate))
        #expect(abs(middle - Double(candidate)) <= 0.002 * Double(candidate))
      }
      value *= 2
    }
  }

  @Test("a bucket begins where the previous one ends")
  func continuity() {
    var last = Histogram.bucket(of: 0)
    for value in UInt64(1)...70_000 {
      let bucket = Histogram.bucket(of: value)
      #expect(bucket == last || bucket == last + 1)
      last = bucket
    }
  }

  @Test("a fraction of a nanosecond is kept")
  func fraction() {
    let histogram = Histogram(of: [0.45, 0.45, 0.45])
    #expect(abs(histogram.value(at: .p50) - 0.45) < 0.001)
  }

  @Test("a sample that is too large counts as the largest value")
  func saturation() {
    let histogram = Histogram(of: [1e30, .infinity, 5])
    #expect(histogram.count == 3)
    #expect(histogram.value(at: .max) > 3_600_000_000_000)
  }

  @Test("a negative value and not-a-number count as 0")
  func nonsense() {
    let histogram = Histogram(of: [-1, .nan, -.infinity])
    #expect(histogram.count == 3)
    #expect(histogram.value(at: .max) == 0)
  }

  @Test("all statistics of an empty histogram are 0")
  func empty() {
    let histogram = Histogram()
    #expect(histogram.value(at: .p50) == 0)
    #expect(histogram.min == 0)
    #expect(histogram.max == 0)
    #expect(histogram.mean == 0)
    #expect(histogram.standardDeviation == 0)
  }

  @Test("the 99.9th percentile of 1000 samples is the 999th")
  func rank() {
    #expect(Percentile.p999.rank(in: 1000) == 999)
    #expect(Percentile.p999.rank(in: 1001) == 1000)
    #expect(Percentile.p50.rank(in: 1) == 1)
    #expect(Percentile.p50.rank(in: 2) == 1)
    #expect(Percentile.max.rank(in: .max) == .max)
  }
}

@Suite("Histogram, by property")
struct HistogramPropertyTests {
  /// Returns samples from 1 ns to 1 h. Each power of two has the same number of
  /// samples.
  private func samples(_ count: Int, seed: UInt64) -> [Double] {
    var generator = SeededGenerator(seed: seed, stream: 0)
    return (0..<count).map { _ in
      let octave = Double(1 << generator.number(below: 41))
      return min(3.6e12, octave * (1 + generator.uniform()))
    }
  }

  @Test(
    "from 1 ns to 1 h, every percentile is within 0.4 % of the sorted samples",
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

  @Test("at the ends of the range, 1 ns and 1 h, percentiles are within 0.4 %")
  func ends() {
    for value in [1, 1.001, 3.599e12, 3.6e12] {
      let histogram = Histogram(of: [value, value, value])
      #expect(abs(histogram.value(at: .p50) - value) <= 0.004 * value)
    }
  }

  @Test("merging the histograms of four threads in any order gives the histogram of all samples")
  func threads() throws {
    let parts = (UInt64(0)..<4).map { samples(5000, seed: $0) }
    let filled = JoinResult<[Histogram]>()
    filled.value = try parts.map { part in
      try PlacedThread.run(cpu: nil) { () throws(PeerError) in Histogram(of: part) }
    }
    let whole = Histogram(of: parts.joined())
    let histograms = try #require(filled.value)
    for order in [[0, 1, 2, 3], [3, 1, 0, 2]] {
      var merged = Histogram()
      for index in order { merged.merge(SparseHistogram(histograms[index])) }
      #expect(merged.buckets == whole.buckets)
      #expect(merged.count == 20_000)
      #expect((merged.min, merged.max) == (whole.min, whole.max))
      #expect(abs(merged.mean - whole.mean) <= 1e-9 * whole.mean)
    }
  }

  @Test("the number of buckets stays the same over a million samples")
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

  @Test("a histogram that was made sparse converts back to the same histogram")
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
