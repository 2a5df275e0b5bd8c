public import AsyncDisplay

/// What a feed shows in one frame: a list that does not change, for whoever puts it on
/// a screen.
public struct FeedFrame: Sendable {
  /// One card that is seen.
  public struct Tile: Sendable {
    /// Which.
    public let index: Int
    /// Where, in the viewport.
    public let frame: Rect
    /// Its picture; nil for one that is not there yet, in whose place a placeholder is.
    public let contents: Bitmap?
    /// How opaque that is.
    public let alpha: Double

    /// Whether its picture is that of another card, which must never be.
    public var isStale: Bool { contents.map { Card.index(in: $0) != index } ?? false }
  }

  /// How far it is scrolled, in points.
  public var position = 0.0
  /// The cards that are seen.
  public var tiles: [Tile] = []

  /// Nothing.
  public init() {}

  /// Cards of which nothing is shown yet.
  public var blanks: Int { tiles.reduce(0) { $0 + ($1.contents == nil ? 1 : 0) } }

  /// Cards that show the picture of another.
  public var staleTiles: Int { tiles.reduce(0) { $0 + ($1.isStale ? 1 : 0) } }
}
