/// A scroll position that the user controls. Between two inputs, the position
/// is a function of time.
///
/// A scroller is a value. Times are in seconds of any monotonic clock.
public struct Scroller: Sendable {
  /// The positions that can be reached.
  public var range: ClosedRange<Double>

  private enum Motion {
    /// A constant speed, in points per second.
    case steady(Double)
    /// A fling with its initial speed in points per second.
    case thrown(Double)
  }

  private var since = 0.0
  private var origin = 0.0
  private var motion = Motion.steady(0)
  // The latest drags, which determine the speed at release.
  private var drags: [(time: Double, distance: Double)] = []

  /// Creates a scroller at rest at the start of `range`.
  public init(range: ClosedRange<Double>) {
    self.range = range
    origin = range.lowerBound
  }

  /// Returns the position at `time`.
  public func position(at time: Double) -> Double {
    let passed = max(0, time - since)
    let way =
      switch motion {
      case .steady(let speed): speed * passed
      case .thrown(let speed): ScrollScript.fling(speed, for: passed)
      }
    return min(max(origin + way, range.lowerBound), range.upperBound)
  }

  /// Returns the speed at `time`, in points per second.
  public func speed(at time: Double) -> Double {
    switch motion {
    case .steady(let speed): speed
    case .thrown(let speed): speed * ScrollScript.decay(after: max(0, time - since))
    }
  }

  /// Scrolls at `pointsPerSecond` from `time` on. Used while a key is held.
  public mutating func move(_ pointsPerSecond: Double, at time: Double) {
    begin(.steady(pointsPerSecond), at: time)
  }

  /// Starts a fling. If a fling in the same direction is under way, speeds it
  /// up. Used for a turn of the wheel.
  public mutating func push(_ pointsPerSecond: Double, at time: Double) {
    let speed = speed(at: time)
    let isSame = (speed < 0) == (pointsPerSecond < 0)
    begin(.thrown(pointsPerSecond + (isSame ? speed : 0)), at: time)
  }

  /// Jumps to `position` and stays there.
  public mutating func jump(to position: Double, at time: Double) {
    begin(.steady(0), at: time)
    origin = min(max(position, range.lowerBound), range.upperBound)
  }

  /// Moves by `points`. Used while a finger drags.
  public mutating func drag(_ points: Double, at time: Double) {
    jump(to: position(at: time) + points, at: time)
    drags.append((time, points))
    drags.removeAll { $0.time < time - Self.memory }
  }

  /// Ends a drag and starts a fling at the speed of the last drags.
  public mutating func release(at time: Double) {
    let recent = drags.filter { $0.time >= time - Self.memory }
    let way = recent.reduce(0) { $0 + $1.distance }
    drags = []
    begin(recent.isEmpty ? .steady(0) : .thrown(way / Self.memory), at: time)
  }

  // The period in seconds over which the release speed is averaged. Not
  // measured.
  private static let memory = 0.08

  private mutating func begin(_ motion: Motion, at time: Double) {
    origin = position(at: time)
    since = time
    self.motion = motion
  }
}
