/// A line along the inside of a canvas's edge.
public struct Border: Hashable, Sendable {
  /// The width in points, limited to half the shorter side of the canvas.
  public var width: Double
  /// The colour.
  public var color: Color

  /// Creates a border.
  public init(width: Double, color: Color) {
    self.width = width
    self.color = color
  }
}
