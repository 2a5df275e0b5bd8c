import AsyncDisplay
public import CardFeed
import LoopTransactions

/// Runs a feed on a loop of its own for a while, by a clock of 60 Hz that waits for
/// nobody.
///
/// Nothing is put on a screen: a frame is a list of bitmaps and places, as a compositor
/// in another process would take it. A refresh shows the newest frame that was done by
/// then; one for which none was done is dropped.
public struct FrameRun: Sendable {
  /// Who draws.
  public var variant: FeedVariant
  /// What is shown.
  public var corpus: CardCorpus
  /// How it scrolls.
  public var script: ScrollScript
  /// So many refreshes are recorded.
  public var refreshes = 120
  /// So many come before.
  public var warmUps = 40
  /// Whether every card is drawn anew in each frame.
  public var invalidates = false
  /// How many cards the feed has.
  public var count = 500

  /// So many a second.
  public static let framesPerSecond = 60.0

  /// A run of `variant`.
  public init(_ variant: FeedVariant, _ corpus: CardCorpus, _ script: ScrollScript) {
    self.variant = variant
    self.corpus = corpus
    self.script = script
  }

  /// Runs it, on this thread, which is the loop's.
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
