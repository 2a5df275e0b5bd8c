public import AsyncDisplay
public import LoopTransactions

/// The workers, the bitmap pool and the displays with which a variant draws.
///
/// Use a stage on the loop only.
public final class FeedStage {
  /// The variant that is drawn.
  public let variant: FeedVariant
  /// The displays. Cards are assigned to them in rotation.
  public let displays: [Display]
  /// The pool that bitmaps come from.
  public let pool: BitmapPool

  private let schedulers: [OperationScheduler]
  private var turn = 0
  private let processLimit = OperationScheduler.processWorkerLimit

  // There is one thread for each card that can be requested at the same time.
  private static let threadLimit = 64

  /// Creates the workers and displays of `variant`.
  ///
  /// Call on the loop.
  ///
  /// - Parameter inFlightLimit: The `inFlightLimit` of each `Display`.
  public init(_ variant: FeedVariant, on loop: EventLoop, inFlightLimit: Int = 128 << 20) {
    self.variant = variant
    let limits =
      switch variant.drawing {
      case .onLoop, .sliced: [1]
      case .thread: [Self.threadLimit]
      case .rotation: [Int](repeating: 1, count: OperationScheduler.defaultWorkerLimit / 2)
      // One worker per processor runs while the feed scrolls. With one more
      // worker, a cancelled worker waited for a processor before it noticed the
      // cancellation, and no more cards were drawn.
      case .shared: [OperationScheduler.defaultWorkerLimit / 2 + 1]
      }
    let schedulers = limits.map { OperationScheduler("cards", workerLimit: $0) }
    let pool =
      variant.ranksByDistance ? BitmapPool(scheduler: schedulers[0]) : BitmapPool(keepLimit: 0)
    self.pool = pool
    self.schedulers = schedulers
    displays = schedulers.map {
      Display(on: loop, scheduler: $0, pool: pool, inFlightLimit: inFlightLimit)
    }
    if variant.drawing == .thread { OperationScheduler.processWorkerLimit = Self.threadLimit }
  }

  deinit {
    if variant.drawing == .thread { OperationScheduler.processWorkerLimit = processLimit }
  }

  /// Returns the display for the next card.
  func next() -> Display {
    turn += 1
    return displays[turn % displays.count]
  }

  /// Whether the feed is scrolling, so that the loop needs a processor.
  public var isScrolling = false {
    didSet {
      guard isScrolling != oldValue, variant.drawing == .shared else { return }
      for scheduler in schedulers { scheduler.isInteractive = isScrolling }
    }
  }

  /// Sets a callback for workers that have stopped drawing a cancelled card.
  ///
  /// The callback runs on the worker. `after` is the time from the cancellation
  /// until the worker stopped. `computed` is the CPU time that the worker spent
  /// in that period. Call on the loop. See `Display.onStopped`.
  public func whenStopped(
    _ body: (@Sendable (_ after: Duration, _ computed: Duration?) -> Void)?
  ) {
    for display in displays { display.onStopped = body }
  }

  /// The number of running operations, including operations that free memory.
  public var running: Int { schedulers.reduce(0) { $0 + $1.metrics.running } }

  /// The sum of the metrics of all displays.
  public var metrics: DisplayMetrics {
    displays.map(\.metrics).reduce(into: DisplayMetrics()) { sum, each in
      sum.begun += each.begun
      sum.displayed += each.displayed
      sum.cleared += each.cleared
      sum.cancelled += each.cancelled
      sum.failed += each.failed
      sum.inFlightBytes += each.inFlightBytes
      sum.peakInFlightBytes += each.peakInFlightBytes
      sum.waiting += each.waiting
    }
  }
}
