/// A linear gradient.
public struct Gradient: Hashable, Sendable {
  /// A colour at a position along the line.
  public struct Stop: Hashable, Sendable {
    /// The position, from 0 at the start of the line to 1 at its end.
    public var offset: Double
    /// The colour.
    public var color: Color

    /// Creates a stop.
    public init(_ offset: Double, _ color: Color) {
      self.offset = offset
      self.color = color
    }
  }

  /// The colours, ordered by offset. The first and the last colour extend
  /// beyond the ends of the line.
  public var stops: [Stop]

  /// The start of the line, in unit coordinates of the filled rectangle.
  public var start: Point

  /// The end of the line, in unit coordinates of the filled rectangle.
  public var end: Point

  /// Creates a gradient. By default the line runs from top to bottom.
  public init(
    _ stops: [Stop],
    from start: Point = .zero,
    to end: Point = Point(x: 0, y: 1)
  ) {
    self.stops = stops
    self.start = start
    self.end = end
  }
}
