import AsyncDisplay
public import CardFeed
import LoopTransactions

/// The cost of a card on this machine. It determines the scroll speed for a
/// given load.
///
/// The load is r·c, the number of cards per second multiplied by the CPU
/// seconds of one card. At a load of 0.72, a loop that draws the cards itself
/// shows 17 of 60 frames, as in the AsyncDisplayKit tutorial.
public struct FrameLoad: Sendable {
  /// The CPU time per card, in seconds.
  public private(set) var cardSeconds: Double
  /// The average height that a card adds to the feed, in points.
  public let pitch: Double

  /// Measures the cost of a card of `corpus` for `variant`, which must draw on
  /// the loop.
  ///
  /// Records one short run that scrolls, because `follow` adapts the cost to
  /// later runs, and a run of loopbench must keep to its time. Takes about two
  /// seconds. Drawing cards back to back without scrolling is not accurate. It
  /// took 70 ms per card, but 54 ms in the feed, so the load was too low by that
  /// ratio.
  public init(_ corpus: CardCorpus, _ variant: FeedVariant) throws {
    try self.init(corpus, variant) { try $0.record() }
  }

  /// Measures the cost of a card with runs that `record` makes.
  package init(
    _ corpus: CardCorpus,
    _ variant: FeedVariant,
    record: (FrameRun) throws -> FrameRecord
  ) throws {
    let (count, width) = (500, Feed.viewport.width)
    pitch = FeedLayout(corpus, count: count, width: width).height / Double(count)
    cardSeconds = try Self.secondsAlone(corpus, variant)
    var run = FrameRun(variant, corpus, .steady(pointsPerSecond: speed(at: 0.72)))
    (run.warmUps, run.refreshes) = (20, 60)
    let record = try record(run)
    if record.shown >= Self.leastCards { cardSeconds = record.cardSeconds }
  }

  // Too few cards are no average. Not measured.
  private static let leastCards = 5

  /// Creates a load from a known cost.
  package init(cardSeconds: Double, pitch: Double) {
    (self.cardSeconds, self.pitch) = (cardSeconds, pitch)
  }

  /// Adapts to the machine's speed, which may change by a tenth within a
  /// minute.
  ///
  /// Moves a third of the way to the cost in `record`, which must be a run of
  /// the measured variant. Ignores a record of fewer than 10 cards.
  package mutating func follow(_ record: FrameRecord) {
    guard record.shown >= 10 else { return }
    cardSeconds += (record.cardSeconds - cardSeconds) / 3
  }

  // Returns an estimate of the cost, which determines the speed of the first
  // run.
  private static func secondsAlone(_ corpus: CardCorpus, _ variant: FeedVariant) throws -> Double {
    let loop = try EventLoop()
    // 8 of the 19 cards, because it is only the first estimate.
    let count = min(8, corpus.cards.count)
    let began = System.threadNanoseconds
    do {
      let feed = Feed(corpus, count: count, stage: FeedStage(variant, on: loop))
      for index in 0..<count { feed.drawAlone(index) }
    }
    try loop.close()
    return Double(System.threadNanoseconds - began) / Double(count) / 1e9
  }

  /// Returns the speed at which r·c is `load`, in points per second.
  public func speed(at load: Double) -> Double { load / cardSeconds * pitch }
}

extension FrameRecord {
  /// The CPU time of the loop per card, in seconds.
  fileprivate var cardSeconds: Double { Double(loopNs) / Double(max(1, shown)) / 1e9 }
}
