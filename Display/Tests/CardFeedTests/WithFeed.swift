import AsyncDisplay
import CardFeed
import LoopTransactions

/// Returns cards with a twentieth of the width and height, because tests are
/// not optimised. They are generated once.
func smallCorpus() throws -> CardCorpus { try small.get() }

private let small = Result { try CardCorpus(scale: 0.1) }

/// Runs `body` with a feed of `variant` on its own loop.
func withFeed(
  _ variant: FeedVariant,
  count: Int = 500,
  inFlightLimit: Int = 128 << 20,
  corpus: CardCorpus? = nil,
  _ body: (Feed, EventLoop) throws -> Void
) throws {
  let loop = try EventLoop()
  do {
    let stage = FeedStage(variant, on: loop, inFlightLimit: inFlightLimit)
    let feed = Feed(
      try corpus ?? smallCorpus(),
      count: count,
      stage: stage,
      marksCards: true
    )
    try body(feed, loop)
    feed.clear()
    _ = stage.end(on: loop)
  } catch {
    // try?: reports the test's own error instead of an error of close().
    try? loop.close()
    throw error
  }
  try loop.close()
}

extension FeedStage {
  /// Runs the loop until all cancelled work has ended. Returns false after 20
  /// seconds.
  func end(on loop: EventLoop) -> Bool {
    let deadline = loop.now.advanced(by: .seconds(20))
    while metrics.inFlightBytes > 0 || running > 0 || pool.metrics.keptBytes > 64 << 20,
      loop.now < deadline
    {
      loop.run(until: loop.now.advanced(by: .milliseconds(2)))
    }
    return loop.now < deadline
  }
}

extension Feed {
  /// Runs the loop until all requested cards are drawn or cancelled. Returns
  /// false after 20 seconds.
  func settled(on loop: EventLoop) -> Bool {
    let deadline = loop.now.advanced(by: .seconds(20))
    while metrics.shown + metrics.givenUp < metrics.wanted, loop.now < deadline {
      loop.run(until: loop.now.advanced(by: .milliseconds(2)))
    }
    return loop.now < deadline
  }

  /// Scrolls to `position`. Returns the frame at this position after all
  /// visible cards are drawn, or nil after 20 seconds.
  func settled(at position: Double, on loop: EventLoop) -> FeedFrame? {
    let deadline = loop.now.advanced(by: .seconds(20))
    var frame = scroll(to: position)
    while frame.blanks > 0 {
      guard loop.now < deadline else { return nil }
      loop.run(until: loop.now.advanced(by: .milliseconds(2)))
      frame = self.frame
    }
    return frame
  }
}
