import AsyncDisplay
package import CardFeed
package import LoopTransactions

/// Shows a feed on a screen.
///
/// The loop sleeps until the user does something or a picture is finished. A
/// frame clock runs only while something moves, and a frame without a change
/// paints nothing. Use a player on the loop only.
package final class WindowPlayer {
  /// The settings of a player.
  package struct Settings {
    /// Where the cards are drawn.
    package var variant: FeedVariant
    /// The number of frames to show, or nil to run until the user quits.
    package var frames: Int?
    /// Whether to print late frames, and a report once per second.
    package var reports = false

    package init(_ variant: FeedVariant) { self.variant = variant }
  }

  private let loop: EventLoop
  private let settings: Settings
  private let corpus: CardCorpus
  private let screen: any FeedScreen
  private let pool = BitmapPool(keepLimit: 1 << 20)

  package private(set) var feed: Feed
  private var details: DetailsLoader
  /// The state that the user sees and changes.
  package private(set) var model: FeedModel
  private var builder: SceneBuilder
  private var history = SceneHistory()

  private var observer: Observer?
  private var watcher: DescriptorWatcher?
  private var poll: FrameClock?
  private var clock: FrameClock?
  // The number of frames of the clock since the last change.
  private var restingFrames = 0
  private var began = LoopClock.now
  private var scale: Double
  private var graph = FrameGraph()
  private var showsGraph = false
  // The scenes without the graph, and the graph of the last change. The graph
  // alone causes no frames.
  private var plainHistory = SceneHistory()
  private var graphPicture: Bitmap?
  private var report: FeedReport
  private var shown = 0
  private var failure: (any Error)?

  private static let count = 500
  // The clock stops this many frames after the last change. The prediction of
  // the scroll has faded by then.
  private static let restAfter = 30

  /// Creates a player. It shows nothing until `run()` or `start()`.
  ///
  /// - Parameter corpus: If nil, cards for the scale of the screen are generated.
  package init(
    _ settings: Settings,
    on loop: EventLoop,
    screen: any FeedScreen,
    corpus: CardCorpus? = nil
  ) throws {
    (self.settings, self.loop, self.screen) = (settings, loop, screen)
    let size = try screen.size
    scale = size.scale
    self.corpus =
      try corpus ?? CardCorpus(scale: min(max(scale, 0.1), 4), scripts: Script.installed)
    let corpus = self.corpus
    model = FeedModel(corpus, count: Self.count, size: size.points)
    builder = SceneBuilder(try SceneArt(scale: scale, from: pool))
    report = FeedReport(prints: settings.reports)
    feed = Self.feed(settings.variant, corpus, size.points, scale, loop)
    details = DetailsLoader(corpus, stage: feed.stage)
    connect()
  }

  private static func feed(
    _ variant: FeedVariant,
    _ corpus: CardCorpus,
    _ viewport: Size,
    _ scale: Double,
    _ loop: EventLoop
  ) -> Feed {
    let stage = FeedStage(variant, on: loop)
    let feed = Feed(corpus, count: count, stage: stage, viewport: viewport, scale: scale)
    feed.fadeDuration = .milliseconds(300)
    return feed
  }

  // Replaces the feed, for another variant or another scale.
  private func replaceFeed(_ variant: FeedVariant) {
    details.clear()
    feed.clear()
    feed = Self.feed(variant, corpus, model.size, scale, loop)
    details = DetailsLoader(corpus, stage: feed.stage)
    connect()
  }

  // A picture that is finished is shown in the next frame.
  private func connect() {
    feed.onShown = { [unowned self] _, _ in startClock() }
    details.onChange = { [unowned self] in startClock() }
  }

  /// Runs until the user quits.
  package func run() throws {
    ProcessorShare.takeShortTurns()
    try start()
    loop.run()
    try end()
  }

  /// Shows the first frame, and reacts to events while the loop runs.
  package func start() throws {
    began = loop.now
    // Before the display commit, so that a card that comes into view begins to
    // be drawn in the same tick.
    observer = loop.addObserver(for: .beforeWaiting, order: 1_000_000) { [unowned self] _ in
      takeEvents()
    }
    // The observer takes the events. Without a descriptor they must be polled.
    watcher = try screen.descriptor.map { try loop.watch($0, for: .readable) { _ in } }
    if watcher == nil { poll = try FrameClock(on: loop) { _ in } }
    draw(at: 0, missed: 0)
    startClock()
  }

  /// Cancels all work. Throws the error that ended the run, if there was one.
  package func end() throws {
    watcher?.cancel()
    poll?.cancel()
    observer?.cancel()
    clock?.cancel()
    details.clear()
    feed.clear()
    if let failure { throw failure }
  }

  /// Whether no frame is due, so that the loop sleeps until the next event or the
  /// next finished picture.
  package var isAtRest: Bool { clock == nil }

  private var time: Double { began.duration(to: loop.now) / .seconds(1) }
}

// Frames.
extension WindowPlayer {
  private func startClock() {
    restingFrames = 0
    guard clock == nil else { return }
    do {
      let new = try FrameClock(on: loop) { [unowned self] in tick($0) }
      if settings.reports {
        new.frameHandler = LateFrames.handler { [unowned self] in feed.stage }
      }
      clock = new
    } catch {
      stop(error)
    }
  }

  private func tick(_ frame: FrameClock.Frame) {
    let isChanged = draw(at: time, missed: frame.missed)
    let late = frame.deadline.duration(to: LoopClock.now) / .milliseconds(1)
    graph.add(FrameGraph.Bar(late: late, missed: frame.missed, blanks: feed.frame.blanks))
    restingFrames = isChanged || model.isMoving(at: time) ? 0 : restingFrames + 1
    if restingFrames > Self.restAfter { rest() }
  }

  private func rest() {
    clock?.cancel()
    clock = nil
    feed.stage.isScrolling = false
    let open = model.details.map { ", card \($0.index) open" } ?? ""
    let likes = model.likes.isEmpty ? "" : ", \(model.likes.count) liked"
    report.flush(feed.frame, feed.stage.variant, ", at rest\(likes)\(open)")
  }

  // Returns whether a pixel changed.
  @discardableResult
  private func draw(at time: Double, missed: Int) -> Bool {
    do {
      let pixels = try adapt(at: time)
      feed.stage.isScrolling = model.isMoving(at: time)
      let frame = feed.scroll(to: model.scroller.position(at: time))
      showDetails()
      var scene = builder.scene(
        of: frame,
        model,
        details: details.contents,
        size: pixels,
        at: time
      )
      let isChanged = plainHistory.add(scene)
      if !showsGraph {
        graphPicture = nil
      } else if isChanged || graphPicture == nil {
        graphPicture = picture(of: frame)
      }
      if let graphPicture { builder.add(graphPicture, to: &scene) }
      let isNew = history.add(scene)
      try screen.show(history, isNew: isNew)
      count(frame, missed)
      return isChanged
    } catch {
      stop(error)
      return false
    }
  }

  // Adapts the feed to the size and the scale of the screen.
  private func adapt(at time: Double) throws -> PixelSize {
    let size = try screen.size
    if size.scale != scale {
      builder = SceneBuilder(try SceneArt(scale: size.scale, from: pool))
      scale = size.scale
      model.resize(to: size.points, at: time)
      replaceFeed(feed.stage.variant)
    }
    model.resize(to: size.points, at: time)
    feed.resize(to: size.points)
    return size.pixels
  }

  private func showDetails() {
    guard let open = model.details else { return details.clear() }
    details.show(open.index, in: FeedParts.panel(in: model.size).size, scale: scale)
    if let height = details.height { model.setDetailsHeight(height) }
  }

  private func count(_ frame: FeedFrame, _ missed: Int) {
    report.add(frame, missed: missed, feed.stage.variant)
    shown += 1
    if let limit = settings.frames, shown >= limit { loop.stop() }
  }

  private func picture(of shown: FeedFrame) -> Bitmap? {
    let variant = feed.stage.variant
    let caption =
      "\(variant.name) \(variant.isSynchronous ? "on the loop" : "on workers") · "
      + "\(graph.missed) of 60 dropped · \(shown.blanks) blank"
    // try?: a frame without its graph is still shown.
    return try? graph.draw(caption, scale: scale, from: pool)
  }

  private func stop(_ error: any Error) {
    failure = failure ?? error
    loop.stop()
  }
}

// Events.
extension WindowPlayer {
  // Takes events until there are none, because drawing may have read further
  // events from the connection, which then does not become readable.
  private func takeEvents() {
    while true {
      let taken = screen.takeEvents()
      if taken.isEmpty { return }
      apply(taken, at: time)
    }
  }

  private func apply(_ taken: [WindowEvent], at time: Double) {
    for event in taken {
      switch event {
      case .input(let input): model.handle(input, at: time)
      case .command(let command): handle(command)
      case .changed: break
      }
    }
    restingFrames = 0
    // While the clock runs, its next frame shows the change. Otherwise it is
    // shown now.
    if clock == nil, draw(at: time, missed: 0) || model.isMoving(at: time) { startClock() }
  }

  private func handle(_ command: Command) {
    switch command {
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
    replaceFeed(variant)
    startClock()
  }
}
