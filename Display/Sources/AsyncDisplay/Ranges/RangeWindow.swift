/// A viewport in the scroll direction, and the reach of each range around it.
struct RangeWindow: Hashable, Sendable {
  let start: Double
  let end: Double
  let isForward: Bool
  let mode: RangeMode
  let isVisible: Bool
  let display: RangeTuning
  let preload: RangeTuning

  private var length: Double { end - start }

  /// The union of all ranges.
  var reach: (start: Double, end: Double) {
    let (one, other) = (bounds(display), bounds(preload))
    return (min(one.start, other.start), max(one.end, other.end))
  }

  /// Returns the place of an item from `start` to `end`.
  func place(from start: Double, to end: Double) -> RangePlace {
    func isWithin(_ window: (start: Double, end: Double)) -> Bool {
      start < window.end && end > window.start
    }
    let isSeen = isWithin((self.start, self.end))
    if mode != .lowMemory {
      if isSeen { return isVisible ? .visible : .display }
      if isWithin(bounds(display)) { return isVisible ? .display : .preload }
    }
    return isSeen || isWithin(bounds(preload)) ? .preload : .outside
  }

  /// Returns the distance of an item from the viewport, in viewport lengths.
  /// The distance of an item behind the scroll counts twice.
  func distance(from start: Double, to end: Double) -> Double {
    let (after, before) = (max(0, start - self.end), max(0, self.start - end))
    let (ahead, behind) = isForward ? (after, before) : (before, after)
    return (ahead + 2 * behind) / length
  }

  private func bounds(_ tuning: RangeTuning) -> (start: Double, end: Double) {
    let (ahead, behind) = (tuning.leading * length, tuning.trailing * length)
    return isForward ? (start - behind, end + ahead) : (start - ahead, end + behind)
  }
}
