/// A way of getting cards drawn in time: what the feed is compared by.
public struct FeedVariant: Hashable, Sendable {
  /// Who draws cards.
  public enum Drawing: Hashable, Sendable {
    /// The loop, as soon as a card is wanted.
    case onLoop
    /// The loop, one card a tick.
    case sliced
    /// Workers, as many as there are cards to draw: a thread a card.
    case thread
    /// Workers, each with a queue of its own that is used in turn.
    case rotation
    /// Workers of one scheduler, one for each processor and one more, which goes while it
    /// scrolls.
    case shared
  }

  /// What it is called: "S0".
  public let name: String
  /// One line: what it does.
  public let summary: String
  /// Who draws.
  public let drawing: Drawing
  /// So many times smaller is the blurred cover, each way.
  public var blurReduction = 1
  /// So many cards that were drawn are kept once they are out of sight.
  public var keptCards = 0
  /// Whether cards are drawn by their distance to what is seen, which follows the scroll,
  /// and bitmaps' memory is used again. If not, the oldest comes first.
  public var ranksByDistance = false
  /// Whether that is what will be seen once a card that is begun now is drawn.
  public var foresees = false
  /// So many screenfuls ahead of the scroll are drawn beforehand.
  public var leading = 0.0
  /// So many behind it.
  public var trailing = 0.0

  init(_ name: String, _ summary: String, _ drawing: Drawing) {
    self.name = name
    self.summary = summary
    self.drawing = drawing
  }

  /// Whether the loop draws.
  public var isSynchronous: Bool { drawing == .onLoop || drawing == .sliced }
}

extension FeedVariant {
  /// All of them, from what the tutorial starts with to the whole.
  public static let all = [s0, s1, s2, s3, a0, a1, a2, a3, a4]

  /// The one called `name`, whatever its case.
  public static func named(_ name: String) -> FeedVariant? {
    all.first { $0.name == name.uppercased() }
  }

  /// On the loop, at once: what the tutorial starts with.
  public static let s0 = FeedVariant("S0", "on the loop, as soon as it is wanted", .onLoop)

  /// The same, and cards are kept.
  public static let s1: FeedVariant = {
    var variant = FeedVariant("S1", "S0, and keeps the last 24 cards", .onLoop)
    variant.keptCards = 24
    return variant
  }()

  /// The same, and its blur is cheaper.
  public static let s2: FeedVariant = {
    var variant = FeedVariant("S2", "S0 with the blur at a quarter of the size", .onLoop)
    variant.blurReduction = 4
    return variant
  }()

  /// On the loop, in slices: the one without threads that is in earnest.
  public static let s3 = FeedVariant("S3", "on the loop, one card a tick, ahead", .sliced).ahead

  /// A thread a card, after Graver's use of a concurrent queue.
  public static let a0 = FeedVariant("A0", "a thread a card, a screen ahead", .thread).ahead

  /// Serial queues in turn, after YYKit and AsyncUI.
  public static let a1 = FeedVariant("A1", "serial queues in turn, ahead", .rotation).ahead

  /// One scheduler, after Texture.
  public static let a2 = FeedVariant("A2", "one scheduler, ahead, the oldest first", .shared).ahead

  /// The same, the nearest first.
  public static let a3: FeedVariant = {
    var variant = FeedVariant("A3", "A2, the nearest first, memory reused", .shared).ahead
    variant.ranksByDistance = true
    return variant
  }()

  /// The same, nearest to where the scroll will be.
  public static let a4: FeedVariant = {
    var variant = FeedVariant("A4", "A3, by where the scroll will be", .shared).ahead
    (variant.ranksByDistance, variant.foresees) = (true, true)
    return variant
  }()

  // All that do not draw at once look equally far: a screen ahead, half a one behind.
  // What they differ by is who draws, and what comes first.
  private var ahead: FeedVariant {
    var variant = self
    (variant.leading, variant.trailing) = (1, 0.5)
    return variant
  }
}
