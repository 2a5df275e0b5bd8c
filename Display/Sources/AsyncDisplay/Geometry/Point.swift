/// A place, in points: rightwards and downwards from the top left.
public struct Point: Hashable, Sendable {
  /// Rightwards.
  public var x: Double
  /// Downwards.
  public var y: Double

  /// The place at `x` and `y`.
  public init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }

  /// The top left.
  public static let zero = Point(x: 0, y: 0)
}
