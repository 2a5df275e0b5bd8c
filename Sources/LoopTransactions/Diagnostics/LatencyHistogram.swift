/// A histogram of latencies in constant memory, with an error of at most 0.8 %.
///
/// Every power of two nanoseconds is divided into 64 buckets, and a bucket's
/// middle represents its latencies. The histogram has 2,368 buckets and takes
/// 19 KB. Latencies of 73 minutes and more share the last bucket. `count`,
/// `min`, `max` and `sum` are exact.
///
/// ```swift
/// var histogram = LatencyHistogram()
/// for latency in [1, 2, 3, 50] { histogram.record(.milliseconds(latency)) }
/// let median = histogram.value(atPercentile: 50)  // 2 ms, within 0.8 %
/// ```
///
/// A value: create and use it on any thread.
///
/// Modelled on Gil Tene's HdrHistogram.
public struct LatencyHistogram: Hashable, Sendable {
  // 2 to the power of 42 ns are 73 minutes.
  static let scale = LogLinearScale(subBits: 6, bits: 42)

  // Empty histograms share one array.
  private static let zeros = [UInt64](repeating: 0, count: scale.bucketCount)

  private var buckets = Self.zeros

  /// The number of latencies.
  public private(set) var count: UInt64 = 0

  // In nanoseconds.
  private var least = UInt64.max
  private var most: UInt64 = 0
  private var total: UInt64 = 0

  /// Creates a histogram without latencies.
  public init() {}

  /// Creates a histogram from buckets, and sums that were read at slightly
  /// different moments.
  init(buckets: [UInt64], least: UInt64, most: UInt64, total: UInt64) {
    let used = buckets.indices.filter { buckets[$0] > 0 }
    guard let first = used.first, let last = used.last else { return }
    self.buckets = buckets
    count = buckets.reduce(0, &+)
    self.least = Swift.min(least, Self.scale.edges(ofBucket: first).high - 1)
    self.most = Swift.max(most, Self.scale.edges(ofBucket: last).low)
    self.total = total
  }

  /// The smallest latency. Zero if there is none.
  public var min: Duration { count == 0 ? .zero : Self.duration(least) }

  /// The largest latency. Zero if there is none.
  public var max: Duration { Self.duration(most) }

  /// The sum of the latencies.
  public var sum: Duration { Self.duration(total) }

  /// The mean of the latencies. Zero if there is none.
  public var mean: Duration { count == 0 ? .zero : Self.duration(total / count) }
}

extension LatencyHistogram {
  /// Adds one latency. A negative one counts as zero.
  ///
  /// - Complexity: O(1).
  public mutating func record(_ latency: Duration) {
    let nanoseconds = UInt64(clamping: latency.clampedNanoseconds)
    buckets[Self.bucket(of: nanoseconds)] &+= 1
    count &+= 1
    least = Swift.min(least, nanoseconds)
    most = Swift.max(most, nanoseconds)
    total &+= nanoseconds
  }

  /// Adds all latencies of `other`.
  ///
  /// - Complexity: O(b) in the 2,368 buckets.
  public mutating func merge(_ other: LatencyHistogram) {
    guard other.count > 0 else { return }
    for index in other.used { buckets[index] &+= other.buckets[index] }
    count &+= other.count
    least = Swift.min(least, other.least)
    most = Swift.max(most, other.most)
    total &+= other.total
  }

  /// Returns the bucket of a latency.
  @inline(__always)
  static func bucket(of nanoseconds: UInt64) -> Int {
    scale.bucket(of: Swift.min(nanoseconds, scale.limit - 1))
  }

  private static func duration(_ nanoseconds: UInt64) -> Duration {
    .nanoseconds(Int64(clamping: nanoseconds))
  }

  // The buckets from the smallest latency's to the largest one's.
  private var used: ClosedRange<Int> { Self.bucket(of: least)...Self.bucket(of: most) }
}

extension LatencyHistogram {
  /// Returns the smallest latency that the given percentage of the latencies
  /// does not exceed. Zero if there is none.
  ///
  /// The result is within 0.8 % of the exact latency. Percentile 0 is `min` and
  /// percentile 100 is `max`.
  ///
  /// - Precondition: `percentile` is from 0 to 100.
  /// - Complexity: O(b) in the 2,368 buckets.
  public func value(atPercentile percentile: Double) -> Duration {
    require(
      percentile >= 0 && percentile <= 100,
      "LatencyHistogram.value: the percentile must be from 0 to 100, got \(percentile)"
    )
    let rank = rank(ofPercentile: percentile)
    if rank <= 1 { return min }
    if rank >= count { return max }
    var seen: UInt64 = 0
    let index = used.first { index in
      seen &+= buckets[index]
      return seen >= rank
    }
    return index.map { Self.duration(representative(ofBucket: $0)) } ?? max
  }

  /// Returns the number of latencies that are at most `latency`.
  ///
  /// Latencies within 0.8 % of `latency` may be counted on either side.
  ///
  /// - Complexity: O(b) in the 2,368 buckets.
  public func count(atMost latency: Duration) -> UInt64 {
    guard count > 0, latency >= .zero else { return 0 }
    let limit = UInt64(clamping: latency.clampedNanoseconds)
    if limit >= most { return count }
    return used.reduce(0) { sum, index in
      representative(ofBucket: index) > limit ? sum : sum &+ buckets[index]
    }
  }

  /// The nearest rank, counted from 1.
  private func rank(ofPercentile percentile: Double) -> UInt64 {
    let exact = percentile * Double(count) / 100
    let nearest = exact.rounded()
    // 99.9 % of 1,000 is 999, and not rounded up because 99.9 has no exact
    // representation.
    let isWhole = (exact - nearest).magnitude <= 1e-12 * exact
    return UInt64(isWhole ? nearest : exact.rounded(.up))
  }

  // The bucket's middle, clamped to the recorded range.
  private func representative(ofBucket index: Int) -> UInt64 {
    Swift.min(Swift.max(UInt64(Self.scale.middle(ofBucket: index)), least), most)
  }
}

extension LatencyHistogram: CustomStringConvertible {
  /// The count, the mean, three percentiles and the maximum.
  public var description: String {
    guard count > 0 else { return "count: 0" }
    let percentiles = [50, 90, 99].map { "p\($0): \(value(atPercentile: Double($0)).brief)" }
    return (["count: \(count)", "mean: \(mean.brief)"] + percentiles + ["max: \(max.brief)"])
      .joined(separator: ", ")
  }
}

extension LatencyHistogram: CustomReflectable {
  /// The figures of `description`, without the buckets.
  public var customMirror: Mirror {
    Mirror(self, children: ["count": count, "min": min, "mean": mean, "max": max])
  }
}
