/// Colours along a line.
public struct Gradient: Hashable, Sendable {
  /// A colour at a place of the line.
  public struct Stop: Hashable, Sendable {
    /// Where, from 0 at its start to 1 at its end.
    public var offset: Double
    /// Which.
    public var color: Color

    /// `color` at `offset`.
    public init(_ offset: Double, _ color: Color) {
      self.offset = offset
      self.color = color
    }
  }

  /// The colours, in the order of their offsets. Before the first and after the last
  /// they go on.
  public var stops: [Stop]

  /// Where the line starts, in parts of the rectangle that is filled.
  public var start: Point

  /// Where the line ends.
  public var end: Point

  /// The colours `stops` from `start` to `end`: by default from top to bottom.
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
