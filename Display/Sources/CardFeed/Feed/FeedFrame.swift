public import AsyncDisplay

/// An immutable list of the cards that a feed shows in one frame. Code that
/// draws to a screen uses this list.
public struct FeedFrame: Sendable {
  /// One visible card.
  public struct Tile: Sendable {
    /// The index of the card.
    public let index: Int
    /// The card's frame in the viewport.
    public let frame: Rect
    /// The picture, or nil until it is drawn. Until then a placeholder is shown.
    public let contents: Bitmap?
    /// The opacity of the picture.
    public let alpha: Double

    package init(index: Int, frame: Rect, contents: Bitmap?, alpha: Double) {
      (self.index, self.frame, self.contents, self.alpha) = (index, frame, contents, alpha)
    }

    /// Whether the picture belongs to another card, which is a bug. The feed
    /// must mark its cards.
    public var isStale: Bool { contents.map { Card.index(in: $0) != index } ?? false }
  }

  /// The scroll position, in points.
  public var position = 0.0
  /// The visible cards.
  public var tiles: [Tile] = []

  /// Creates an empty frame.
  public init() {}

  /// The number of visible cards without a picture.
  public var blanks: Int { tiles.reduce(0) { $0 + ($1.contents == nil ? 1 : 0) } }

  /// The number of visible cards that show the picture of another card. The
  /// feed must mark its cards.
  public var staleTiles: Int { tiles.reduce(0) { $0 + ($1.isStale ? 1 : 0) } }
}
