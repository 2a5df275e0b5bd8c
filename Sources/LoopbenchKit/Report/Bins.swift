/// A range of times cut into equal parts, for pictures of a distribution.
package struct Bins: Equatable {
  /// In ns, above 0 if logarithmic.
  package let low: Double
  /// In ns, above `low`.
  package let high: Double
  /// How many.
  package let count: Int
  /// Whether the parts are equal in ratio rather than in width.
  package let isLogarithmic: Bool

  /// Widens a range that has no width.
  package init(low: Double, high: Double, count: Int, isLogarithmic: Bool = true) {
    let floor = isLogarithmic ? 0.001 : 0
    let low = Swift.max(low, floor)
    let isEmpty = high <= low * 1.000001
    self.low = isEmpty ? low * 0.98 : low
    self.high = isEmpty ? Swift.max(low * 1.02, 0.002) : high
    self.count = count
    self.isLogarithmic = isLogarithmic
  }

  /// The part of the samples in each bin. What is outside counts in the first
  /// or the last one.
  package func shares(of histogram: HistogramData, samples: UInt64) -> [Double] {
    var shares = [Double](repeating: 0, count: count)
    guard samples > 0 else { return shares }
    for bucket in histogram.buckets {
      spread(bucket, share: Double(bucket.count) / Double(samples), over: &shares)
    }
    return shares
  }

  /// The value at which bin `index` begins, in ns.
  package func edge(_ index: Int) -> Double {
    let part = Double(index) / Double(count)
    guard isLogarithmic else { return low + (high - low) * part }
    let (from, to) = (Logarithm.of(low), Logarithm.of(high))
    return Logarithm.power(from + (to - from) * part)
  }

  /// A bucket wider than a bin fills several.
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

  /// In bins, from 0 to just below `count`.
  private func place(_ value: Double) -> Double {
    let part =
      if isLogarithmic {
        Logarithm.of(Swift.max(value, low) / low) / Logarithm.of(high / low)
      } else {
        (value - low) / (high - low)
      }
    return Swift.min(Swift.max(part * Double(count), 0), Double(count) - 1e-9)
  }
}
