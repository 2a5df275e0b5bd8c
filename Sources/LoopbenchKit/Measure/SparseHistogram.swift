/// The buckets of a histogram that hold something: what one round keeps, so that
/// a run can leave a round out afterwards.
package struct SparseHistogram: Sendable {
  private let pairs: [(index: UInt16, count: UInt32)]
  package let count: UInt64
  package let saturated: UInt64
  package let least: UInt64
  package let most: UInt64
  package let moments: Moments

  package init(_ histogram: Histogram) {
    pairs = histogram.used.compactMap { index in
      let count = histogram.buckets[index]
      return count > 0 ? (UInt16(index), UInt32(clamping: count)) : nil
    }
    count = histogram.count
    (saturated, least, most) = (histogram.saturated, histogram.least, histogram.most)
    moments = histogram.moments
  }

  /// All of it as it was recorded.
  package var dense: Histogram {
    var histogram = Histogram()
    histogram.merge(self)
    return histogram
  }

  package func forEach(_ body: (_ bucket: Int, _ count: UInt64) -> Void) {
    for pair in pairs { body(Int(pair.index), UInt64(pair.count)) }
  }
}
