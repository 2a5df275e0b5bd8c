import AsyncDisplay
import CardFeed
import FeedWindow
import LoopTransactions

/// Scrolls a feed without a window and reports its frames. Use a player on the
/// loop only.
final class HeadlessPlayer {
  private let loop: EventLoop
  private let options: Options
  private let feed: Feed
  private var report: FeedReport
  private var shown = 0

  init(_ options: Options, on loop: EventLoop) throws {
    (self.options, self.loop) = (options, loop)
    feed = Feed(
      try CardCorpus(scale: options.scale ?? 1),
      stage: FeedStage(options.variant, on: loop),
      viewport: options.size ?? Feed.viewport
    )
    report = FeedReport(prints: true)
  }

  /// Runs for the requested number of frames.
  func run() throws {
    ProcessorShare.takeShortTurns()
    feed.stage.isScrolling = true
    let clock = try FrameClock(on: loop) { [unowned self] in show($0) }
    if options.reports { clock.frameHandler = LateFrames.handler { [feed] in feed.stage } }
    loop.run()
    clock.cancel()
    feed.clear()
  }

  private func show(_ frame: FrameClock.Frame) {
    let script = ScrollScript.flings(pointsPerSecond: 6000)
    let time = Double(frame.index) / 60
    let shown = feed.scroll(to: script.position(at: time, in: feed.range))
    report.add(shown, missed: frame.missed, feed.stage.variant)
    self.shown += 1
    if let limit = options.frames, self.shown >= limit { loop.stop() }
  }
}
