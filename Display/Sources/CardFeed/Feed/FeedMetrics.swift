/// Counts of the cards of a feed.
public struct FeedMetrics: Hashable, Sendable {
  /// Cards that came into view or near it.
  public var wanted = 0
  /// Cards that got their picture.
  public var shown = 0
  /// Cards whose kept picture was reused.
  public var kept = 0
  /// Cards that left before they had a picture.
  public var givenUp = 0

  /// Creates counts of zero.
  public init() {}
}
