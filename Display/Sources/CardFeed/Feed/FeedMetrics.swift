/// What became of the cards of a feed.
public struct FeedMetrics: Hashable, Sendable {
  /// Cards that were wanted: came into sight, or near it.
  public var wanted = 0
  /// Cards that got their picture.
  public var shown = 0
  /// Cards that were taken from among those kept.
  public var kept = 0
  /// Cards that were given up before they had a picture.
  public var givenUp = 0

  /// Nothing so far.
  public init() {}
}
