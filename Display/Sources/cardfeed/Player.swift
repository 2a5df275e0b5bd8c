import AsyncDisplay
import CardFeed
import LoopTransactions

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Shows a feed frame by frame and scrolls it in response to user input. Use a
/// player on the loop only.
final class Player {
  private let loop: EventLoop
  private let options: Options
  private let corpus: CardCorpus
  private let screen: Screen?
  private let pool = BitmapPool(keepLimit: 1 << 20)

  private var feed: Feed
  private var scroller: Scroller
  private var graph = FrameGraph()
  private var showsGraph = true
  private var shown = 0
  private var second = (frames: 0, missed: 0, blanks: 0, tiles: 0)

  init(_ options: Options, on loop: EventLoop) throws {
    self.options = options
    self.loop = loop
    corpus = try CardCorpus(scale: options.scale)
    screen =
      options.isHeadless
      ? nil : try Screen(size: options.size, scale: options.scale, from: pool)
    feed = Self.feed(options.variant, corpus, options, loop)
    scroller = Scroller(range: feed.range)
  }

  private static func feed(
    _ variant: FeedVariant,
    _ corpus: CardCorpus,
    _ options: Options,
    _ loop: EventLoop
  ) -> Feed {
    let feed = Feed(corpus, stage: FeedStage(variant, on: loop), viewport: options.size)
    feed.fadeDuration = .milliseconds(600)
    return feed
  }

  /// Runs until the user quits.
  func run() throws {
    ProcessorShare.takeShortTurns()
    let clock = try FrameClock(on: loop) { [unowned self] in show($0) }
    loop.run()
    clock.cancel()
    feed.clear()
  }

  private func show(_ frame: FrameClock.Frame) {
    let time = Double(frame.index) / clockRate
    if let screen {
      for input in Input.take(&scroller, at: time) { handle(input) }
      let shown = scroll(to: scroller.position(at: time), time)
      screen.show(shown, graph: showsGraph ? picture(of: shown) : nil)
      note(shown, frame)
    } else {
      let script = ScrollScript.flings(pointsPerSecond: 6000)
      note(scroll(to: script.position(at: time, in: feed.range), time), frame)
    }
    shown += 1
    if let limit = options.frames, shown >= limit { loop.stop() }
  }

  private let clockRate = 60.0

  private func scroll(to position: Double, _ time: Double) -> FeedFrame {
    feed.stage.isScrolling = options.isHeadless || abs(scroller.speed(at: time)) > 1
    return feed.scroll(to: position)
  }

  private func handle(_ input: Input) {
    switch input {
    case .quit: loop.stop()
    case .variant(let variant): change(to: variant)
    case .nextVariant:
      let all = FeedVariant.all
      let index = all.firstIndex(of: feed.stage.variant) ?? 0
      change(to: all[(index + 1) % all.count])
    case .toggleGraph: showsGraph.toggle()
    }
  }

  private func change(to variant: FeedVariant) {
    guard variant != feed.stage.variant else { return }
    feed.clear()
    feed = Self.feed(variant, corpus, options, loop)
  }
}

// Reports.
extension Player {
  private func note(_ shown: FeedFrame, _ frame: FrameClock.Frame) {
    let late = frame.deadline.duration(to: LoopClock.now) / .milliseconds(1)
    graph.add(FrameGraph.Bar(late: late, missed: frame.missed, blanks: shown.blanks))
    second.frames += 1
    second.missed += frame.missed
    second.blanks += shown.blanks
    second.tiles += shown.tiles.count
    guard options.reports, second.frames + second.missed >= 60 else { return }
    print(
      "\(feed.stage.variant.name): \(second.frames) frames, \(second.missed) dropped, "
        + "\(second.blanks) of \(second.tiles) cards blank, at \(Int(shown.position))"
    )
    // Flush now, because output to a pipe is fully buffered.
    fflush(nil)
    second = (0, 0, 0, 0)
  }

  private func picture(of shown: FeedFrame) -> Bitmap? {
    let variant = feed.stage.variant
    let caption =
      "\(variant.name) \(variant.isSynchronous ? "on the loop" : "on workers") · "
      + "\(graph.missed) of 60 dropped · \(shown.blanks) blank"
    // try?: a frame without its graph is still shown.
    return try? graph.draw(caption, scale: options.scale, from: pool)
  }
}
