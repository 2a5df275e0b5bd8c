/// A histogram in a file: the buckets that hold something.
public struct HistogramData: Codable, Equatable, Sendable {
  /// Buckets per power of two, as a power of two.
  public let subBits: Int
  /// What a bucket's values count: always `"ps"`.
  public let unit: String
  /// Pairs of a bucket's index and its count, by index.
  public let pairs: [[UInt64]]

  /// The buckets of `histogram`.
  public init(_ histogram: Histogram) {
    subBits = Histogram.subBits
    unit = "ps"
    pairs = histogram.used.compactMap { index in
      let count = histogram.buckets[index]
      return count > 0 ? [UInt64(index), count] : nil
    }
  }
}
