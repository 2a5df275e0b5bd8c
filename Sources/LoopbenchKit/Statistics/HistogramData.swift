import LoopTransactions

/// The occupied buckets of a histogram, as stored in a file.
package struct HistogramData: Codable, Equatable, Sendable {
  /// The binary logarithm of the number of buckets per power of two.
  package let subBits: Int
  /// The unit of the values: always `"ps"`.
  package let unit: String
  /// Pairs of a bucket's index and its count, in the order of the indices.
  package let pairs: [[UInt64]]

  /// Copies the occupied buckets of `histogram`.
  package init(_ histogram: Histogram) {
    subBits = Histogram.subBits
    unit = "ps"
    pairs = histogram.filled.map { [UInt64($0), $1] }
  }
}

extension HistogramData {
  /// An occupied bucket.
  package struct Bucket: Equatable {
    /// The lowest value, in ns.
    package let low: Double
    /// The lowest value of the next bucket, in ns.
    package let high: Double
    /// The number of samples.
    package let count: UInt64

    /// The value that the bucket represents, in ns.
    package var middle: Double { (low + high - 0.001) / 2 }
  }

  /// The occupied buckets, in ascending order.
  package var buckets: [Bucket] {
    pairs.map { pair in
      let (low, high) = Histogram.edges(ofBucket: Int(pair[0]))
      return Bucket(low: low, high: high, count: pair[1])
    }
  }

  /// Returns whether this is a valid histogram of `count` samples in the current
  /// format. Call this before using data from a file.
  package func isSound(count: UInt64) -> Bool {
    var total: UInt64 = 0
    var next: UInt64 = 0
    for pair in pairs {
      guard pair.count == 2, pair[0] >= next, pair[0] < Histogram.bucketCount else { return false }
      let (sum, overflow) = total.addingReportingOverflow(pair[1])
      guard !overflow, pair[1] > 0 else { return false }
      total = sum
      next = pair[0] + 1
    }
    return subBits == Histogram.subBits && unit == "ps" && total == count
  }

  /// Returns the value, in ns, that the given percentage of the samples does not
  /// exceed.
  package func value(at percentile: Percentile, count: UInt64) -> Double {
    let rank = percentile.rank(in: count)
    var seen: UInt64 = 0
    for bucket in buckets {
      seen += bucket.count
      if seen >= rank { return bucket.middle }
    }
    return 0
  }
}

extension Histogram {
  /// Returns the lowest values of the bucket and of the next bucket, in ns.
  package static func edges(ofBucket index: Int) -> (low: Double, high: Double) {
    let (low, high) = scale.edges(ofBucket: index)
    return (Double(low) / 1000, Double(high) / 1000)
  }
}

/// A range of times divided into bins with the same ratio of end to start, for plots of a
/// distribution.
package struct Bins: Equatable {
  /// The start of the range, in ns. It is above 0.
  package let low: Double
  /// The end of the range, in ns. It is above `low`.
  package let high: Double
  /// The number of bins.
  package let count: Int

  /// Makes bins. Widens the range if it is empty.
  package init(low: Double, high: Double, count: Int) {
    let low = Swift.max(low, 0.001)
    let isEmpty = high <= low * 1.000001
    self.low = isEmpty ? low * 0.98 : low
    self.high = isEmpty ? Swift.max(low * 1.02, 0.002) : high
    self.count = count
  }

  /// Returns the share of the samples in each bin. Samples outside the range
  /// count in the first or the last bin.
  package func shares(of histogram: HistogramData, samples: UInt64) -> [Double] {
    var shares = [Double](repeating: 0, count: count)
    guard samples > 0 else { return shares }
    for bucket in histogram.buckets {
      spread(bucket, share: Double(bucket.count) / Double(samples), over: &shares)
    }
    return shares
  }

  /// Returns the value at which bin `index` begins, in ns.
  package func edge(_ index: Int) -> Double {
    let part = Double(index) / Double(count)
    let (from, to) = (Logarithm.of(low), Logarithm.of(high))
    return Logarithm.power(from + (to - from) * part)
  }

  /// Adds the share of a bucket to the bins that the bucket overlaps.
  private func spread(_ bucket: HistogramData.Bucket, share: Double, over shares: inout [Double]) {
    let (from, to) = (place(bucket.low), place(bucket.high))
    let (first, last) = (Int(from), Int(to))
    guard last > first else {
      shares[first] += share
      return
    }
    for index in first...last {
      let part = Swift.min(Double(index + 1), to) - Swift.max(Double(index), from)
      shares[index] += share * Swift.max(0, part) / (to - from)
    }
  }

  /// Returns the position of a value in bins, from 0 to just below `count`.
  private func place(_ value: Double) -> Double {
    let part = Logarithm.of(Swift.max(value, low) / low) / Logarithm.of(high / low)
    return Swift.min(Swift.max(part * Double(count), 0), Double(count) - 1e-9)
  }
}
