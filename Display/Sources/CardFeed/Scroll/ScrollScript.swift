/// A scroll as a function of time: a frame that is late shows what it would have shown
/// in time.
///
/// A value: make and use it on any thread.
public enum ScrollScript: Hashable, Sendable {
  /// So many points a second, turning round at the ends.
  case steady(pointsPerSecond: Double)
  /// The same, turning round each second too: every card that comes soon goes.
  case turning(pointsPerSecond: Double)
  /// Thrown again and again every two seconds, each time so fast at first, and slower
  /// by 0.998 a millisecond.
  case flings(pointsPerSecond: Double)
  /// Somewhere else as often as `steady` would have gone a screen of 1,024 points: so many
  /// cards come into sight, and every one that is on its way goes.
  case jumping(pointsPerSecond: Double)
  /// Where it is.
  case still

  /// Where it is after so many seconds, within `range`.
  public func position(at seconds: Double, in range: ClosedRange<Double>) -> Double {
    let length = range.upperBound - range.lowerBound
    guard length > 0 else { return range.lowerBound }
    let way = distance(after: max(0, seconds), length)
    // There and back.
    let place = way.truncatingRemainder(dividingBy: 2 * length)
    return range.lowerBound + (place <= length ? place : 2 * length - place)
  }

  /// What a throw of so many points a second covers in so many seconds.
  public static func fling(_ pointsPerSecond: Double, for seconds: Double) -> Double {
    pointsPerSecond * (1 - decay(after: seconds)) / rate
  }

  /// What is left of a throw's speed after so many seconds.
  static func decay(after seconds: Double) -> Double {
    var (left, power, milliseconds) = (1.0, 0.998, Int(seconds * 1000))
    // By squares: no mathematics library is needed for whole milliseconds.
    while milliseconds > 0 {
      if milliseconds & 1 == 1 { left *= power }
      power *= power
      milliseconds >>= 1
    }
    // The rest of a millisecond is so short that a straight line does.
    return left * (1 - rate * (seconds - Double(Int(seconds * 1000)) / 1000))
  }

  // How fast a throw slows down, in parts a second: -1000 ln 0.998.
  private static let rate = 2.002_002_670_673_355

  private func distance(after seconds: Double, _ length: Double) -> Double {
    switch self {
    case .steady(let speed): return speed * seconds
    case .turning(let speed):
      // Not quite back, so that it does not shuttle over the same cards for ever.
      let (whole, part) = (Double(Int(seconds / 2)), seconds.truncatingRemainder(dividingBy: 2))
      return speed * (whole * 0.25 + (part < 1 ? part : 1 - 0.75 * (part - 1)))
    case .flings(let speed):
      let (whole, part) = (Double(Int(seconds / 2)), seconds.truncatingRemainder(dividingBy: 2))
      return whole * Self.fling(speed, for: 2) + Self.fling(speed, for: part)
    case .jumping(let speed):
      // The golden ratio's part of the way: never near where it was lately.
      let jumps = (speed * seconds / 1024).rounded(.down)
      return (jumps * 0.618_033_988_749_895).truncatingRemainder(dividingBy: 1) * length
    case .still: return 0
    }
  }
}
