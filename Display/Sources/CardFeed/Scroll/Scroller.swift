/// A scroll that somebody's fingers make: between two of their doings a function of
/// time.
///
/// A value; times are in seconds, of any clock that does not go back.
public struct Scroller: Sendable {
  /// How far it may go.
  public var range: ClosedRange<Double>

  private enum Motion {
    /// At so many points a second.
    case steady(Double)
    /// Thrown, at so many at first.
    case thrown(Double)
  }

  private var since = 0.0
  private var origin = 0.0
  private var motion = Motion.steady(0)
  // The last drags, for the speed at which they let go.
  private var drags: [(time: Double, distance: Double)] = []

  /// One that lies still at the start of `range`.
  public init(range: ClosedRange<Double>) {
    self.range = range
    origin = range.lowerBound
  }

  /// Where it is at `time`.
  public func position(at time: Double) -> Double {
    let passed = max(0, time - since)
    let way =
      switch motion {
      case .steady(let speed): speed * passed
      case .thrown(let speed): ScrollScript.fling(speed, for: passed)
      }
    return min(max(origin + way, range.lowerBound), range.upperBound)
  }

  /// How fast it is at `time`, in points a second.
  public func speed(at time: Double) -> Double {
    switch motion {
    case .steady(let speed): speed
    case .thrown(let speed): speed * ScrollScript.decay(after: max(0, time - since))
    }
  }

  /// Goes at so many points a second from `time` on: a key that is held.
  public mutating func move(_ pointsPerSecond: Double, at time: Double) {
    begin(.steady(pointsPerSecond), at: time)
  }

  /// Is thrown at so many points a second more, in the same direction: a wheel.
  public mutating func push(_ pointsPerSecond: Double, at time: Double) {
    let speed = speed(at: time)
    let isSame = (speed < 0) == (pointsPerSecond < 0)
    begin(.thrown(pointsPerSecond + (isSame ? speed : 0)), at: time)
  }

  /// Jumps to `position`, and stays there.
  public mutating func jump(to position: Double, at time: Double) {
    begin(.steady(0), at: time)
    origin = min(max(position, range.lowerBound), range.upperBound)
  }

  /// Is held by a finger that moved it by so many points.
  public mutating func drag(_ points: Double, at time: Double) {
    jump(to: position(at: time) + points, at: time)
    drags.append((time, points))
    drags.removeAll { $0.time < time - Self.memory }
  }

  /// Is let go of, at the speed of the last drags.
  public mutating func release(at time: Double) {
    let recent = drags.filter { $0.time >= time - Self.memory }
    let way = recent.reduce(0) { $0 + $1.distance }
    drags = []
    begin(recent.isEmpty ? .steady(0) : .thrown(way / Self.memory), at: time)
  }

  // Seconds that the speed of a finger is taken over.
  private static let memory = 0.08

  private mutating func begin(_ motion: Motion, at time: Double) {
    origin = position(at: time)
    since = time
    self.motion = motion
  }
}
