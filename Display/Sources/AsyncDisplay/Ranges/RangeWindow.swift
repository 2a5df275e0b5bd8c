/// A viewport along its scroll, and how far each range reaches around it.
struct RangeWindow: Hashable, Sendable {
  let start: Double
  let end: Double
  let isForward: Bool
  let mode: RangeMode
  let isVisible: Bool
  let display: RangeTuning
  let preload: RangeTuning

  private var length: Double { end - start }

  /// What any range reaches.
  var reach: (start: Double, end: Double) {
    let (one, other) = (bounds(display), bounds(preload))
    return (min(one.start, other.start), max(one.end, other.end))
  }

  /// Where something from `start` to `end` is.
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

  /// How far something is from the viewport, in screenfuls; what is behind the scroll
  /// counts twice.
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
