import LoopTransactionsTesting
import TestSupport
import Testing

@testable import LoopTransactions

extension LatencyHistogram {
  /// Creates a histogram of latencies in nanoseconds.
  fileprivate init(of latencies: some Swift.Sequence<Int64>) {
    self.init()
    for latency in latencies { record(.nanoseconds(latency)) }
  }
}

/// Returns latencies from 1 ns to 1 h. Each power of two has about the same
/// number of them.
private func latencies(_ count: Int, seed: UInt64) -> [Int64] {
  var generator = SeededGenerator(seed: seed)
  return (0..<count).map { _ in
    let octave = Int64(1) << Int64.random(in: 0..<41, using: &generator)
    return octave + Int64.random(in: 0..<octave, using: &generator)
  }
}

@Suite("LatencyHistogram")
struct LatencyHistogramTests {
  @Test("every percentile is within 0.8 % of the sorted latencies", arguments: 1...8)  // X2
  func percentiles(seed: UInt64) {
    let sorted = latencies(2000, seed: seed).sorted()
    let histogram = LatencyHistogram(of: sorted.shuffled())
    for tenths in stride(from: 0, through: 1000, by: 5) {
      let exact = Double(sorted[max(1, (tenths * sorted.count + 999) / 1000) - 1])
      let found = histogram.value(atPercentile: Double(tenths) / 10) / .nanoseconds(1)
      #expect(abs(found - exact) <= 0.008 * exact, "percentile \(Double(tenths) / 10)")
    }
  }

  @Test("count, sum, mean, min and max are exact")  // X2
  func moments() {
    let histogram = LatencyHistogram(of: [1_001, 2_003, 5, 900_000_007])
    #expect(histogram.count == 4)
    #expect(histogram.sum == .nanoseconds(900_003_016))
    #expect(histogram.mean == .nanoseconds(225_000_754))
    #expect(histogram.min == .nanoseconds(5))
    #expect(histogram.max == .nanoseconds(900_000_007))
    #expect(histogram.value(atPercentile: 0) == histogram.min)
    #expect(histogram.value(atPercentile: 100) == histogram.max)
  }

  @Test("the 99.9th percentile of 1000 latencies is the 999th")  // X2
  func rank() {
    let histogram = LatencyHistogram(of: (1...1000).map { $0 == 1000 ? 1_000_000 : 1000 })
    #expect(histogram.value(atPercentile: 99.9) < .microseconds(2))
    #expect(histogram.value(atPercentile: 99.91) == .milliseconds(1))
  }

  @Test("merging two parts gives the histogram of all latencies", arguments: 1...4)  // X2
  func merge(seed: UInt64) {
    let all = latencies(1000, seed: seed)
    var merged = LatencyHistogram(of: all.prefix(300))
    merged.merge(LatencyHistogram(of: all.dropFirst(300)))
    #expect(merged == LatencyHistogram(of: all))
    merged.merge(LatencyHistogram())
    #expect(merged == LatencyHistogram(of: all))
  }

  @Test("count(atMost:) counts the latencies up to a limit")  // X2
  func atMost() {
    let histogram = LatencyHistogram(of: [1_000, 2_000, 2_000, 50_000])
    #expect(histogram.count(atMost: .nanoseconds(900)) == 0)
    #expect(histogram.count(atMost: .nanoseconds(1_010)) == 1)
    #expect(histogram.count(atMost: .nanoseconds(2_020)) == 3)
    #expect(histogram.count(atMost: .nanoseconds(50_000)) == 4)
    #expect(histogram.count(atMost: .zero) == 0)
    #expect(histogram.count(atMost: .seconds(-1)) == 0)
    #expect(LatencyHistogram().count(atMost: .seconds(1)) == 0)
  }

  @Test("a latency that is too long is in the last bucket, and a negative one is zero")  // X2
  func extremes() {
    var histogram = LatencyHistogram()
    histogram.record(.seconds(-5))
    #expect(histogram.max == .zero)
    histogram.record(.seconds(1_000_000))
    #expect(histogram.count == 2)
    #expect(histogram.max == .seconds(1_000_000))
    #expect(histogram.value(atPercentile: 100) == .seconds(1_000_000))
    #expect(histogram.count(atMost: .seconds(4_000)) == 1)
  }

  @Test("all figures of an empty histogram are zero")  // X2
  func empty() {
    let histogram = LatencyHistogram()
    #expect(histogram.count == 0)
    #expect(histogram.min == .zero && histogram.max == .zero)
    #expect(histogram.sum == .zero && histogram.mean == .zero)
    #expect(histogram.value(atPercentile: 50) == .zero)
    #expect("\(histogram)" == "count: 0")
  }

  @Test("a histogram has 2,368 buckets, and each begins where the previous one ends")  // X2
  func buckets() {
    let scale = LatencyHistogram.scale
    #expect(scale.bucketCount == 2368)
    for index in 1..<scale.bucketCount {
      let (low, high) = scale.edges(ofBucket: index)
      #expect(scale.edges(ofBucket: index - 1).high == low)
      #expect(scale.bucket(of: low) == index && scale.bucket(of: high - 1) == index)
    }
  }

  @Test("the counters of a loop give the same histogram as its latencies")  // X2
  func cells() {
    let cells = HistogramCells()
    #expect(cells.snapshot == LatencyHistogram())
    let latencies = latencies(1000, seed: 5) + [0, .max]
    for latency in latencies { cells.record(UInt64(latency)) }
    #expect(cells.snapshot == LatencyHistogram(of: latencies))
  }

  @Test("a snapshot that misses the newest extremes contains them all the same")  // X2
  func staleExtremes() {
    var buckets = [UInt64](repeating: 0, count: LatencyHistogram.scale.bucketCount)
    for latency in [700, 9_000] { buckets[LatencyHistogram.bucket(of: UInt64(latency))] = 1 }
    let histogram = LatencyHistogram(buckets: buckets, least: .max, most: 0, total: 700)
    #expect(histogram.min >= .nanoseconds(700) && histogram.min < .nanoseconds(708))
    #expect(histogram.max > .nanoseconds(8_900) && histogram.max <= .nanoseconds(9_000))
    #expect(histogram.count(atMost: histogram.max) == 2)
  }

  @Test("its description has the percentiles")  // X2
  func text() {
    let histogram = LatencyHistogram(of: [2_000_000])
    let value = "2.00 ms"
    #expect(
      "\(histogram)"
        == "count: 1, mean: \(value), p50: \(value), p90: \(value), p99: \(value), max: \(value)"
    )
  }

  @Test("a percentile that is not from 0 to 100 traps", arguments: ["-0.1", "100.1", "nan"])  // X2
  func badPercentile(_ percentile: String) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [percentile] in
      _ = LatencyHistogram().value(atPercentile: Double(percentile) ?? 50)
    }
    #expect(
      said(
        result,
        "LatencyHistogram.value: the percentile must be from 0 to 100, got \(percentile)"
      )
    )
  }
}
