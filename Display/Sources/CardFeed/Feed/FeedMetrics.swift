/// Counts of the cards of a feed.
public struct FeedMetrics: Hashable, Sendable {
  /// The number of cards that came into view or near it.
  public var wanted = 0
  /// The number of cards whose picture was drawn.
  public var shown = 0
  /// The number of cards whose kept picture was reused.
  public var kept = 0
  /// The number of cards that left before they had a picture.
  public var givenUp = 0

  /// Creates metrics with all counts zero.
  public init() {}
}
