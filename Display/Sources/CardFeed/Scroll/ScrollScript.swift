/// A scroll position as a function of time. A late frame therefore shows the
/// position that it was meant to show.
///
/// A script is a value. Create and use it on any thread.
public enum ScrollScript: Hashable, Sendable {
  /// Scrolls at a constant speed and turns round at both ends.
  case steady(pointsPerSecond: Double)
  /// Scrolls like `steady`, but also turns round every second. Every card that
  /// comes near leaves again soon.
  case turning(pointsPerSecond: Double)
  /// Starts a fling every two seconds. Each fling starts at this speed and
  /// slows down by a factor of 0.998 per millisecond.
  case flings(pointsPerSecond: Double)
  /// Jumps at the times when `steady` would have scrolled another screen of
  /// 1,024 points. The number of cards that come into view is the same as with
  /// `steady`, and every card that is being drawn is cancelled.
  case jumping(pointsPerSecond: Double)
  /// Does not scroll.
  case still

  /// Returns the position after `seconds`, within `range`.
  public func position(at seconds: Double, in range: ClosedRange<Double>) -> Double {
    let length = range.upperBound - range.lowerBound
    guard length > 0 else { return range.lowerBound }
    let way = distance(after: max(0, seconds), length)
    // The position moves to the end of the range and back.
    let place = way.truncatingRemainder(dividingBy: 2 * length)
    return range.lowerBound + (place <= length ? place : 2 * length - place)
  }

  /// Returns the distance that a fling at `pointsPerSecond` covers in
  /// `seconds`.
  public static func fling(_ pointsPerSecond: Double, for seconds: Double) -> Double {
    pointsPerSecond * (1 - decay(after: seconds)) / rate
  }

  /// Returns the fraction of a fling's initial speed that remains after
  /// `seconds`.
  static func decay(after seconds: Double) -> Double {
    var (left, power, milliseconds) = (1.0, 0.998, Int(seconds * 1000))
    // Repeated squaring, because whole milliseconds need no math library.
    while milliseconds > 0 {
      if milliseconds & 1 == 1 { left *= power }
      power *= power
      milliseconds >>= 1
    }
    // Linear interpolation is accurate enough for the remaining fraction of a
    // millisecond.
    return left * (1 - rate * (seconds - Double(Int(seconds * 1000)) / 1000))
  }

  // The rate at which a fling slows down, per second. It is -1000 ln 0.998.
  private static let rate = 2.002_002_670_673_355

  private func distance(after seconds: Double, _ length: Double) -> Double {
    switch self {
    case .steady(let speed): return speed * seconds
    case .turning(let speed):
      // The scroll does not return to where it began, because the same cards
      // would then alternate forever.
      let (whole, part) = (Double(Int(seconds / 2)), seconds.truncatingRemainder(dividingBy: 2))
      return speed * (whole * 0.25 + (part < 1 ? part : 1 - 0.75 * (part - 1)))
    case .flings(let speed):
      let (whole, part) = (Double(Int(seconds / 2)), seconds.truncatingRemainder(dividingBy: 2))
      return whole * Self.fling(speed, for: 2) + Self.fling(speed, for: part)
    case .jumping(let speed):
      // Positions at multiples of the golden ratio are never near a recent
      // position.
      let jumps = (speed * seconds / 1024).rounded(.down)
      return (jumps * 0.618_033_988_749_895).truncatingRemainder(dividingBy: 1) * length
    case .still: return 0
    }
  }
}
