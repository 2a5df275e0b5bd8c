import LoopTransactions

/// A histogram in fixed memory with an error of at most 0.2 % per sample.
///
/// The histogram is log-linear: every power of two is divided into 256 buckets of equal
/// width. A bucket represents all of its samples by its middle. The unit is the
/// picosecond, so a mean of 1.3 ns per operation keeps its fraction. The last bucket ends
/// at 4503 s. `min`, `max`, `mean` and `standardDeviation` are exact.
///
/// ```swift
/// var histogram = Histogram()
/// histogram.record(nanoseconds: 1.25)
/// histogram.value(at: .p99)
/// ```
package struct Histogram: Sendable, Equatable {
  // Shared with the histograms of a loop's latencies, which are coarser.
  static let scale = LogLinearScale(subBits: 8, bits: 52)

  /// The binary logarithm of the number of buckets per power of two.
  package static let subBits = scale.subBits

  /// One more than the largest value, in ps. A sample that is too large counts as
  /// the largest value.
  package static let limit = scale.limit

  package static let bucketCount = scale.bucketCount

  package private(set) var buckets = [UInt64](repeating: 0, count: bucketCount)

  /// The number of recorded samples.
  package private(set) var count: UInt64 = 0

  package private(set) var least = UInt64.max
  package private(set) var most: UInt64 = 0
  package private(set) var moments = Moments()

  /// Makes an empty histogram.
  package init() {}
}

extension Histogram {
  /// Adds one sample. A negative value or not-a-number counts as 0.
  ///
  /// - Complexity: O(1); allocates nothing.
  package mutating func record(nanoseconds: Double) {
    let picoseconds = (nanoseconds * 1000).rounded()
    guard picoseconds >= 1 else { return record(picoseconds: 0) }
    guard picoseconds < Double(Self.limit) else { return record(picoseconds: Self.limit - 1) }
    record(picoseconds: UInt64(picoseconds))
  }

  private mutating func record(picoseconds value: UInt64) {
    buckets[Self.bucket(of: value)] += 1
    count += 1
    least = Swift.min(least, value)
    most = Swift.max(most, value)
    moments.add(Double(value))
  }

  /// Adds every sample of one round.
  package mutating func merge(_ other: SparseHistogram) {
    for (bucket, samples) in other.pairs { buckets[Int(bucket)] += UInt64(samples) }
    count += other.count
    least = Swift.min(least, other.least)
    most = Swift.max(most, other.most)
    moments.merge(other.moments)
  }
}

extension Histogram {
  /// The smallest sample, in ns; 0 if there are no samples.
  package var min: Double { count == 0 ? 0 : Double(least) / 1000 }

  /// The largest sample, in ns; 0 if there are no samples.
  package var max: Double { Double(most) / 1000 }

  /// The mean of the samples, in ns; 0 if there are no samples.
  package var mean: Double { moments.mean / 1000 }

  /// The standard deviation of the samples, in ns; 0 if there are fewer than two
  /// samples.
  package var standardDeviation: Double { moments.standardDeviation / 1000 }

  /// Returns the smallest value, in ns, that the given percentage of the samples
  /// does not exceed.
  ///
  /// - Complexity: O(buckets).
  package func value(at percentile: Percentile) -> Double {
    guard count > 0 else { return 0 }
    let rank = percentile.rank(in: count)
    guard rank < count else { return max }
    var seen: UInt64 = 0
    for index in used {
      seen += buckets[index]
      guard seen < rank else { return value(ofBucket: index) }
    }
    return max
  }

  /// Returns the mean of the largest samples, in ns; 0 if there is no sample.
  ///
  /// - Parameter part: The share of all samples to include: 0.01 is 1 %. Includes
  ///   at least one sample.
  /// - Complexity: O(buckets).
  package func meanOfLargest(_ part: Double) -> Double {
    let wanted = Swift.max(1, UInt64((Double(count) * part).rounded(.up)))
    var (left, sum) = (wanted, 0.0)
    for index in used.reversed() where left > 0 {
      let taken = Swift.min(left, buckets[index])
      sum += Double(taken) * value(ofBucket: index)
      left -= taken
    }
    return left == wanted ? 0 : sum / Double(wanted - left)
  }

  /// The buckets from the smallest sample's bucket to the largest sample's bucket.
  package var used: Range<Int> {
    count == 0 ? 0..<0 : Self.bucket(of: least)..<Self.bucket(of: most) + 1
  }

  /// The buckets that contain samples.
  var filled: [(index: Int, count: UInt64)] {
    used.map { ($0, buckets[$0]) }.filter { $0.1 > 0 }
  }

  /// The bucket's middle, clamped to the recorded range.
  private func value(ofBucket index: Int) -> Double {
    Swift.min(Swift.max(Self.middle(ofBucket: index), Double(least)), Double(most)) / 1000
  }
}

extension Histogram {
  /// Returns the bucket of a value in ps. Each value below 512 has its own bucket.
  /// The 9 leading bits of a larger value select its bucket.
  package static func bucket(of value: UInt64) -> Int { scale.bucket(of: value) }

  /// Returns the value in the middle of a bucket, in ps.
  package static func middle(ofBucket index: Int) -> Double { scale.middle(ofBucket: index) }
}

/// The occupied buckets of a histogram. A run keeps one histogram for each round,
/// so that a round can be left out afterwards.
package struct SparseHistogram: Sendable {
  fileprivate let pairs: [(index: UInt16, count: UInt32)]
  package let count: UInt64
  package let least: UInt64
  package let most: UInt64
  package let moments: Moments

  package init(_ histogram: Histogram) {
    pairs = histogram.filled.map { (UInt16($0), UInt32(clamping: $1)) }
    count = histogram.count
    (least, most) = (histogram.least, histogram.most)
    moments = histogram.moments
  }

  /// The value in ns and the count of each occupied bucket, in ascending order. A value
  /// is the bucket's middle, clamped to the recorded range.
  var values: [(value: Double, count: UInt64)] {
    pairs.map { index, count in
      let middle = Histogram.middle(ofBucket: Int(index))
      return (Swift.min(Swift.max(middle, Double(least)), Double(most)) / 1000, UInt64(count))
    }
  }

  /// A dense histogram of the same samples.
  package var dense: Histogram {
    var histogram = Histogram()
    histogram.merge(self)
    return histogram
  }
}

/// A running mean and variance. Uses Welford's algorithm, which does not lose small
/// differences to rounding, and Chan's formula for merging.
package struct Moments: Sendable, Equatable {
  private var count = 0.0
  package private(set) var mean = 0.0
  private var squares = 0.0

  package init() {}

  package mutating func add(_ value: Double) {
    count += 1
    let distance = value - mean
    mean += distance / count
    squares += distance * (value - mean)
  }

  package mutating func merge(_ other: Moments) {
    guard other.count > 0 else { return }
    let total = count + other.count
    let distance = other.mean - mean
    squares += other.squares + distance * distance * count * other.count / total
    mean += distance * other.count / total
    count = total
  }

  /// The sample standard deviation, which divides by the count minus 1.
  package var standardDeviation: Double {
    count < 2 ? 0 : (squares / (count - 1)).squareRoot()
  }
}
