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
    /// A glide over a distance in points, which ends after `glideTime`.
    case gliding(Double)
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
      case .gliding(let distance): distance * (1 - Self.cube(Self.part(after: passed)))
      }
    return min(max(origin + way, range.lowerBound), range.upperBound)
  }

  /// Returns the speed at `time`, in points per second.
  public func speed(at time: Double) -> Double {
    switch motion {
    case .steady(let speed): speed
    case .thrown(let speed): speed * ScrollScript.decay(after: max(0, time - since))
    case .gliding(let distance):
      3 * distance / Self.glideTime * Self.square(Self.part(after: max(0, time - since)))
    }
  }

  /// Whether the position changes without further input.
  public func isMoving(at time: Double) -> Bool {
    switch motion {
    case .steady(let speed): speed != 0 && position(at: time) != position(at: time + 1)
    // A fling of 2 points per second moves by one point until it ends.
    case .thrown:
      abs(speed(at: time)) > 2 && position(at: time) != position(at: time + 1)
    case .gliding: position(at: time) != position(at: time + Self.glideTime)
    }
  }

  /// Scrolls at `pointsPerSecond` from `time` on. Used while a key is held.
  public mutating func move(_ pointsPerSecond: Double, at time: Double) {
    begin(.steady(pointsPerSecond), at: time)
  }

  /// Glides by exactly `points`, and by the rest of a glide in the same
  /// direction that is under way. Used for the wheel and for pages.
  public mutating func glide(_ points: Double, at time: Double) {
    let (start, rest) = (position(at: time), remaining(at: time))
    let distance = points + (rest * points > 0 ? rest : 0)
    // A glide ends at the end of the range, so that the next one starts there.
    let end = min(max(start + distance, range.lowerBound), range.upperBound)
    begin(.gliding(end - start), at: time)
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

  // The duration of a glide in seconds. Not measured.
  private static let glideTime = 0.25

  // The part of a glide that remains, from 1 to 0.
  private static func part(after passed: Double) -> Double { max(0, 1 - passed / glideTime) }

  private static func square(_ value: Double) -> Double { value * value }
  private static func cube(_ value: Double) -> Double { value * value * value }

  // The distance that remains of a glide.
  private func remaining(at time: Double) -> Double {
    guard case .gliding(let distance) = motion else { return 0 }
    return distance * Self.cube(Self.part(after: max(0, time - since)))
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
