import AsyncDisplay
public import CardFeed
import LoopTransactions

/// The cost of a card on this machine, and the scroll speed for a given load.
///
/// The load is r·c: cards per second, times the processor seconds of one card.
/// At 0.72 a loop that draws the cards itself shows 17 of 60 frames, like the
/// tutorial's.
public struct FrameLoad: Sendable {
  /// Processor seconds per card.
  public private(set) var cardSeconds: Double
  /// Average height that a card adds to the feed, in points.
  public let pitch: Double

  /// Measures the cost of a card of `corpus` for `variant`, which must draw on
  /// the loop.
  ///
  /// Takes the median of three runs that scroll, about five seconds. Drawing
  /// cards back to back without scrolling is not accurate: it took 70 ms per
  /// card, against 54 ms in the feed, so the load was too low by that ratio.
  public init(_ corpus: CardCorpus, _ variant: FeedVariant) throws {
    let (count, width) = (500, Feed.viewport.width)
    pitch = FeedLayout(corpus, count: count, width: width).height / Double(count)
    let first = try Self.secondsAlone(corpus, variant)
    let speed = 0.72 / first * pitch
    let times = try (0..<3).map { _ in
      let run = FrameRun(variant, corpus, .steady(pointsPerSecond: speed))
      return try run.record().cardSeconds
    }
    cardSeconds = times.sorted()[1]
  }

  /// Creates a load from a known cost.
  package init(cardSeconds: Double, pitch: Double) {
    (self.cardSeconds, self.pitch) = (cardSeconds, pitch)
  }

  /// Adapts to the machine's speed, which may change by a tenth within a
  /// minute.
  ///
  /// Moves a third of the way to the cost in `record`, a run of the measured
  /// variant. Ignores a record of fewer than 10 cards.
  package mutating func follow(_ record: FrameRecord) {
    guard record.shown >= 10 else { return }
    cardSeconds += (record.cardSeconds - cardSeconds) / 3
  }

  // An estimate for the speed of the first run.
  private static func secondsAlone(_ corpus: CardCorpus, _ variant: FeedVariant) throws -> Double {
    let loop = try EventLoop()
    let count = corpus.cards.count
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
  /// Seconds of the loop's processor time per card.
  fileprivate var cardSeconds: Double { Double(loopNs) / Double(max(1, shown)) / 1e9 }
}
