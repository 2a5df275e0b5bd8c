/// A strategy for drawing the cards of a feed. The benchmark compares them.
public struct FeedVariant: Hashable, Sendable {
  /// Where cards are drawn.
  public enum Drawing: Hashable, Sendable {
    /// On the loop, as soon as a card is wanted.
    case onLoop
    /// On the loop, one card per tick.
    case sliced
    /// On workers, with a thread for each card.
    case thread
    /// On workers that each have their own serial queue, used in rotation.
    case rotation
    /// On the workers of one scheduler: one per processor, plus one that pauses
    /// while the feed scrolls.
    case shared
  }

  /// The name, such as "S0".
  public let name: String
  /// One line that describes the strategy.
  public let summary: String
  /// Where cards are drawn.
  public let drawing: Drawing
  /// The factor by which the cover is downsampled in each direction before it
  /// is blurred.
  public var blurReduction = 1
  /// The number of cards whose picture is kept after they left.
  public var keptCards = 0
  /// Whether cards are drawn nearest to the viewport first, following the
  /// scroll, and bitmap memory is reused. Otherwise the oldest request is drawn
  /// first.
  public var ranksByDistance = false
  /// True to measure that distance from the predicted viewport at the time a
  /// card that begins now is done.
  public var foresees = false
  /// Screenfuls that are drawn in advance ahead of the scroll.
  public var leading = 0.0
  /// Screenfuls that are drawn behind the scroll.
  public var trailing = 0.0

  init(_ name: String, _ summary: String, _ drawing: Drawing) {
    self.name = name
    self.summary = summary
    self.drawing = drawing
  }

  /// Whether cards are drawn on the loop.
  public var isSynchronous: Bool { drawing == .onLoop || drawing == .sliced }
}

extension FeedVariant {
  /// All variants, from the tutorial's starting point to the full strategy.
  public static let all = [s0, s1, s2, s3, a0, a1, a2, a3, a4]

  /// Returns the variant called `name`, ignoring case.
  public static func named(_ name: String) -> FeedVariant? {
    all.first { $0.name == name.uppercased() }
  }

  /// On the loop, immediately: the tutorial's starting point.
  public static let s0 = FeedVariant("S0", "on the loop, as soon as it is wanted", .onLoop)

  /// S0 with kept cards.
  public static let s1: FeedVariant = {
    var variant = FeedVariant("S1", "S0, and keeps the last 24 cards", .onLoop)
    variant.keptCards = 24
    return variant
  }()

  /// S0 with a cheaper blur.
  public static let s2: FeedVariant = {
    var variant = FeedVariant("S2", "S0 with the blur at a quarter of the size", .onLoop)
    variant.blurReduction = 4
    return variant
  }()

  /// On the loop, one card per tick. The serious contender without threads.
  public static let s3 = FeedVariant("S3", "on the loop, one card a tick, ahead", .sliced).ahead

  /// One thread per card, modelled on Graver's use of a concurrent queue.
  public static let a0 = FeedVariant("A0", "a thread a card, a screen ahead", .thread).ahead

  /// Serial queues in rotation, modelled on YYKit and AsyncUI.
  public static let a1 = FeedVariant("A1", "serial queues in turn, ahead", .rotation).ahead

  /// One scheduler, modelled on Texture.
  public static let a2 = FeedVariant("A2", "one scheduler, ahead, the oldest first", .shared).ahead

  /// A2 with the nearest cards first.
  public static let a3: FeedVariant = {
    var variant = FeedVariant("A3", "A2, the nearest first, memory reused", .shared).ahead
    variant.ranksByDistance = true
    return variant
  }()

  /// A3 with distances from the predicted viewport.
  public static let a4: FeedVariant = {
    var variant = FeedVariant("A4", "A3, by where the scroll will be", .shared).ahead
    (variant.ranksByDistance, variant.foresees) = (true, true)
    return variant
  }()

  // All variants that do not draw immediately look equally far: one screen
  // ahead and half a screen behind. They differ only in where cards are drawn
  // and in which order.
  private var ahead: FeedVariant {
    var variant = self
    (variant.leading, variant.trailing) = (1, 0.5)
    return variant
  }
}
