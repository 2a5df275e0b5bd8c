/// A line along the inside of a canvas's edge.
public struct Border: Hashable, Sendable {
  /// How wide it is, in points; no wider than to the middle of the canvas.
  public var width: Double
  /// Its colour.
  public var color: Color

  /// A line of `width` in `color`.
  public init(width: Double, color: Color) {
    self.width = width
    self.color = color
  }
}
