import AsyncDisplay
public import CardFeed
import LoopTransactions

/// Runs a feed on its own loop, driven by a fixed 60 Hz clock.
///
/// The run shows nothing on a screen. A frame is a list of bitmaps and
/// positions, as a compositor in another process would receive it. A refresh
/// shows the newest frame that is finished at that time. A refresh without a
/// new frame is counted as dropped.
public struct FrameRun: Sendable {
  /// The variant that draws.
  public var variant: FeedVariant
  /// The cards.
  public var corpus: CardCorpus
  /// How the feed scrolls.
  public var script: ScrollScript
  /// The number of refreshes to record.
  public var refreshes = 120
  /// The number of refreshes before recording starts.
  public var warmUps = 40
  /// Whether every card is redrawn in each frame.
  public var invalidates = false
  /// The number of cards in the feed.
  public var count = 500

  /// The rate of the clock.
  public static let framesPerSecond = 60.0

  /// Creates a run of `variant`.
  public init(_ variant: FeedVariant, _ corpus: CardCorpus, _ script: ScrollScript) {
    self.variant = variant
    self.corpus = corpus
    self.script = script
  }

  /// Runs the feed on the calling thread, which becomes the loop's thread.
  public func record() throws -> FrameRecord {
    let loop = try EventLoop()
    var record = FrameRecord()
    do {
      let recorder = FrameRecorder(self, on: loop)
      try recorder.play()
      record = recorder.record
    }
    try loop.close()
    return record
  }
}
