extension HistogramData {
  /// Samples that are the same to within the histogram's error.
  package struct Bucket: Equatable {
    /// In ns.
    package let low: Double
    /// In ns; the next bucket's low.
    package let high: Double
    /// Samples in it.
    package let count: UInt64

    /// What it stands for, in ns.
    package var middle: Double { (low + high - 0.001) / 2 }
  }

  /// The buckets that hold something, by value.
  package var buckets: [Bucket] {
    pairs.map { pair in
      let (low, high) = Histogram.edges(ofBucket: Int(pair[0]))
      return Bucket(low: low, high: high, count: pair[1])
    }
  }

  /// Whether it is one that this version writes, of `count` samples. A file can
  /// hold anything.
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

  /// The value, in ns, that `percentile` of the samples do not exceed.
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
  /// In ns: the bucket's lowest value, and the next one's.
  package static func edges(ofBucket index: Int) -> (low: Double, high: Double) {
    let shift = Swift.max(0, index >> subBits - 1)
    let lowest = UInt64(index - shift << subBits) << shift
    return (Double(lowest) / 1000, Double(lowest + 1 << shift) / 1000)
  }
}
