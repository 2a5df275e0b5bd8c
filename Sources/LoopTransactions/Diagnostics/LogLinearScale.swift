/// The buckets of a log-linear histogram.
///
/// Every power of two is divided into the same number of buckets of equal width.
/// The middle of a bucket therefore differs from each of its values by at most
/// a fixed part of the value. Small values have a bucket each.
package struct LogLinearScale: Hashable, Sendable {
  /// The binary logarithm of the number of buckets per power of two.
  package let subBits: Int

  /// One more than the largest value.
  package let limit: UInt64

  /// Creates a scale for values of at most `bits` bits.
  ///
  /// A middle's error is at most 1 / 2^(`subBits` + 1) of the value.
  package init(subBits: Int, bits: Int) {
    self.subBits = subBits
    limit = 1 << UInt64(bits)
  }

  /// The number of buckets.
  package var bucketCount: Int { bucket(of: limit - 1) + 1 }

  /// Returns the bucket of a value, which is less than `limit`.
  ///
  /// Each value below `2 << subBits` has its own bucket. The `subBits` + 1
  /// leading bits of a larger value select its bucket.
  package func bucket(of value: UInt64) -> Int {
    // With this bit set, the number of bits is at least `subBits` + 1.
    let least = value | 1 &<< UInt64(truncatingIfNeeded: subBits)
    let shift = 63 &- least.leadingZeroBitCount &- subBits
    return shift &<< subBits &+ Int(truncatingIfNeeded: value &>> UInt64(truncatingIfNeeded: shift))
  }

  /// Returns the lowest value of the bucket, and the lowest of the next one.
  package func edges(ofBucket index: Int) -> (low: UInt64, high: UInt64) {
    let shift = max(0, index >> subBits - 1)
    let low = UInt64(index - shift << subBits)
    return (low << shift, (low + 1) << shift)
  }

  /// Returns the value in the middle of a bucket.
  package func middle(ofBucket index: Int) -> Double {
    let (low, high) = edges(ofBucket: index)
    return Double(low) + Double(high - low - 1) / 2
  }
}
