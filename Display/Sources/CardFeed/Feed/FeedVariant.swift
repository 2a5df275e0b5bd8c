/// A strategy for drawing the cards of a feed. The benchmark compares the
/// strategies.
public struct FeedVariant: Hashable, Sendable {
  /// The thread on which cards are drawn.
  public enum Drawing: Hashable, Sendable {
    /// On the loop, as soon as a card is requested.
    case onLoop
    /// On the loop, one card per tick.
    case sliced
    /// On workers. Each card has a thread of its own.
    case thread
    /// On workers that each have their own serial queue. The queues are used in
    /// rotation.
    case rotation
    /// On the workers of one scheduler. The scheduler has one worker per
    /// processor, plus one worker that pauses while the feed scrolls.
    case shared
  }

  /// The name, such as "S0".
  public let name: String
  /// A description of the strategy in one line.
  public let summary: String
  /// The thread on which cards are drawn.
  public let drawing: Drawing
  /// The factor by which the cover is downsampled in each direction before it
  /// is blurred.
  public var blurReduction = 1
  /// The number of cards whose pictures are kept after the cards left the
  /// screen.
  public var keptCards = 0
  /// Whether cards are drawn in the order of their distance from the viewport,
  /// which is updated while the feed scrolls. Bitmap memory is then reused. If
  /// false, the oldest request is drawn first.
  public var ranksByDistance = false
  /// Whether the distance of a card is measured from a predicted viewport. The
  /// prediction is for the time at which a card that begins now is finished.
  public var foresees = false
  /// The number of screenfuls that are drawn in advance ahead of the scroll.
  public var leading = 0.0
  /// The number of screenfuls that are drawn behind the scroll.
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
  /// All variants, from the starting point of the AsyncDisplayKit tutorial to
  /// the full strategy.
  public static let all = [s0, s1, s2, s3, a0, a1, a2, a3, a4]

  /// Returns the variant called `name`, ignoring case.
  public static func named(_ name: String) -> FeedVariant? {
    all.first { $0.name == name.uppercased() }
  }

  /// Draws on the loop immediately, like the starting point of the
  /// AsyncDisplayKit tutorial.
  public static let s0 = FeedVariant("S0", "on the loop, as soon as a card is requested", .onLoop)

  /// Draws like S0, and keeps the pictures of the last 24 cards.
  public static let s1: FeedVariant = {
    var variant = FeedVariant("S1", "S0, and keeps the last 24 cards", .onLoop)
    variant.keptCards = 24
    return variant
  }()

  /// Draws like S0, but with a cheaper blur.
  public static let s2: FeedVariant = {
    var variant = FeedVariant("S2", "S0 with the blur at a quarter of the size", .onLoop)
    variant.blurReduction = 4
    return variant
  }()

  /// Draws on the loop, one card per tick. This is the strongest variant
  /// without worker threads.
  public static let s3 = FeedVariant("S3", "on the loop, one card per tick, ahead", .sliced).ahead

  /// Uses one thread per card. Modelled on Graver's use of a concurrent queue.
  public static let a0 = FeedVariant("A0", "one thread per card, ahead", .thread).ahead

  /// Uses serial queues in rotation. Modelled on YYKit and AsyncUI.
  public static let a1 = FeedVariant("A1", "serial queues in rotation, ahead", .rotation).ahead

  /// Uses one scheduler. Modelled on Texture.
  public static let a2 = FeedVariant("A2", "one scheduler, oldest card first, ahead", .shared).ahead

  /// Works like A2, but draws the nearest cards first.
  public static let a3: FeedVariant = {
    var variant = FeedVariant("A3", "A2, the nearest first, memory reused", .shared).ahead
    variant.ranksByDistance = true
    return variant
  }()

  /// Works like A3, but measures distances from the predicted viewport.
  public static let a4: FeedVariant = {
    let summary = "on workers, ahead, first the cards nearest to the predicted scroll position"
    var variant = FeedVariant("A4", summary, .shared).ahead
    (variant.ranksByDistance, variant.foresees) = (true, true)
    return variant
  }()

  // All variants that do not draw immediately draw the same area in advance:
  // one screen ahead and half a screen behind. They differ only in where cards
  // are drawn and in which order.
  private var ahead: FeedVariant {
    var variant = self
    (variant.leading, variant.trailing) = (1, 0.5)
    return variant
  }
}
