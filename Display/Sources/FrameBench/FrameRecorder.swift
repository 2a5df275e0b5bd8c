import AsyncDisplay
import CardFeed
import LoopTransactions

/// Runs a feed and records its frames. Use it on the loop only.
final class FrameRecorder {
  private(set) var record = FrameRecord()

  private let plan: FrameRun
  private let loop: EventLoop
  private let stage: FeedStage
  private let feed: Feed
  private let heartbeat: Heartbeat
  private let stops = StopTimes()
  private let period = 1_000_000_000 / FrameRun.framesPerSecond

  // The first refresh to record after the warm-up.
  private var first: Int?
  private var lastCommit: UInt64 = 0
  private var lastThread: UInt64 = 0
  private var lastSlot = 0
  private var busyBefore = Duration.zero
  private var began = (process: UInt64(0), loop: UInt64(0))
  private var before = FeedMetrics()
  private var displaysBefore = DisplayMetrics()

  init(_ run: FrameRun, on loop: EventLoop) {
    plan = run
    self.loop = loop
    stage = FeedStage(run.variant, on: loop)
    feed = Feed(run.corpus, count: run.count, stage: stage, marksCards: true)
    heartbeat = Heartbeat(loop.port)
    let capacity = 8 * plan.refreshes
    record.stalls.reserveCapacity(capacity)
    record.intervals.reserveCapacity(capacity)
    record.waits.reserveCapacity(capacity)
  }

  func play() throws {
    // Uses libuv's idle time, because observers do not see when a poll has
    // returned.
    loop.measuresTime = true
    let leaves = loop.addObserver(for: .beforeWaiting, order: .min) { [unowned self] _ in
      let busy = loop.metrics.busy
      if first != nil { record.stalls.append(UInt64((busy - busyBefore) / .nanoseconds(1))) }
      busyBefore = busy
    }
    feed.onShown = { [unowned self] _, waited in
      if first != nil { record.waits.append(UInt64(max(0, waited / .nanoseconds(1)))) }
    }
    stage.whenStopped { [stops] in stops.add($0, computed: $1) }
    ProcessorShare.takeShortTurns()
    stage.isScrolling = true
    let clock = try FrameClock(on: loop, framesPerSecond: FrameRun.framesPerSecond) {
      [unowned self] in show($0)
    }
    loop.run()
    clock.cancel()
    heartbeat.stop()
    // Delivers the last heartbeats and cancels the remaining cards.
    stage.isScrolling = false
    feed.clear()
    loop.run(.noWait)
    leaves.cancel()
  }

  private func show(_ frame: FrameClock.Frame) {
    let seconds = Double(frame.index) / FrameRun.framesPerSecond
    if plan.invalidates { feed.invalidate() }
    let shown = feed.scroll(to: plan.script.position(at: seconds, in: feed.range))
    let commit = System.nanoseconds
    // The refresh that shows the frame is the first refresh after the frame was
    // finished.
    let late = Double(commit) - Double(frame.deadline.nanoseconds)
    let slot = frame.index + 1 + Int(max(0, late) / period)
    if frame.index > plan.warmUps, first == nil { begin(slot) } else { add(shown, slot, commit) }
    lastCommit = commit
    lastSlot = max(lastSlot, slot)
    lastThread = System.threadNanoseconds
    if let first, slot - first >= plan.refreshes { end() }
  }

  private func begin(_ slot: Int) {
    first = slot
    began = (System.processNanoseconds, System.threadNanoseconds)
    before = feed.metrics
    displaysBefore = stage.metrics
    heartbeat.forget()
    _ = stops.take()
  }

  private func add(_ frame: FeedFrame, _ slot: Int, _ commit: UInt64) {
    guard first != nil else { return }
    record.intervals.append(commit - lastCommit)
    record.stale += frame.staleTiles
    record.running = max(record.running, stage.running)
    // A second frame for the same refresh replaces the first frame.
    if slot <= lastSlot, !record.refreshes.isEmpty {
      record.refreshes[record.refreshes.count - 1] = refresh(frame)
      return
    }
    let missed = max(0, slot - lastSlot - 1)
    let busy = Int(Double(System.threadNanoseconds - lastThread) / period)
    record.droppedBusy += min(missed, busy)
    for _ in 0..<missed { record.refreshes.append(FrameRecord.Refresh()) }
    record.refreshes.append(refresh(frame))
  }

  private func refresh(_ frame: FeedFrame) -> FrameRecord.Refresh {
    FrameRecord.Refresh(isPresented: true, tiles: frame.tiles.count, blanks: frame.blanks)
  }

  private func end() {
    loop.stop()
    record.processNs = System.processNanoseconds - began.process
    record.loopNs = System.threadNanoseconds - began.loop
    record.inputs = heartbeat.delays
    record.stops = stops.take()
    record.wanted = feed.metrics.wanted - before.wanted
    record.shown = feed.metrics.shown - before.shown
    record.givenUp = feed.metrics.givenUp - before.givenUp
    let displays = stage.metrics
    record.cancelled = displays.cancelled - displaysBefore.cancelled
    record.pictures = displays.displayed - displaysBefore.displayed
    record.peakBytes = displays.peakInFlightBytes
  }
}
