import AsyncDisplay
public import CardFeed
import LoopTransactions

/// What a card costs here, and how fast a feed has to scroll for a load.
///
/// The dial is r·c: cards that come a second, times what one takes to draw, on one
/// processor. At 0.72 a loop that draws by itself is left 17 of 60 frames, as the
/// tutorial's was.
public struct FrameLoad: Sendable {
  /// What a card takes, in seconds of a processor.
  public private(set) var cardSeconds: Double
  /// Points that the feed is longer for each card.
  public let pitch: Double

  /// Measures what a card of `corpus` takes, as `variant`, which draws on the loop, draws
  /// it while it scrolls: the median of three runs. Five seconds or so.
  ///
  /// Not alone, one after the other: that took 70 ms for cards that took 54 in the feed, and
  /// the load was as much too low.
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

  /// Where a card takes so many seconds.
  package init(cardSeconds: Double, pitch: Double) {
    (self.cardSeconds, self.pitch) = (cardSeconds, pitch)
  }

  /// Follows the machine, which may be a tenth faster a minute later: goes a third of the way
  /// to what a card took in `record`, a run of the variant that was measured. One in which
  /// few cards came says nothing.
  package mutating func follow(_ record: FrameRecord) {
    guard record.shown >= 10 else { return }
    cardSeconds += (record.cardSeconds - cardSeconds) / 3
  }

  // For a speed to begin with.
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

  /// The speed at which r·c is `load`, in points a second.
  public func speed(at load: Double) -> Double { load / cardSeconds * pitch }
}

extension FrameRecord {
  /// What a card took the loop that drew it, in seconds.
  fileprivate var cardSeconds: Double { Double(loopNs) / Double(max(1, shown)) / 1e9 }
}
