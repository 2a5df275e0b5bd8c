/// A position in points, measured to the right and downwards from the top left.
public struct Point: Hashable, Sendable {
  /// The distance to the right.
  public var x: Double
  /// The distance downwards.
  public var y: Double

  /// Creates a point.
  public init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }

  /// The top left.
  public static let zero = Point(x: 0, y: 0)
}
