public import AsyncDisplay
public import LoopTransactions

/// What a variant draws with: workers, memory, and displays of a loop.
///
/// Belongs to the loop's thread.
public final class FeedStage {
  /// The variant that draws.
  public let variant: FeedVariant
  /// The displays, which cards are given in turn.
  public let displays: [Display]
  /// Where bitmaps come from.
  public let pool: BitmapPool

  private let schedulers: [OperationScheduler]
  private var turn = 0
  private let processLimit = OperationScheduler.processWorkerLimit

  // A thread for each card that can be wanted at once.
  private static let threadLimit = 64

  /// What `variant` draws with on `loop`.
  ///
  /// Call on the loop.
  ///
  /// - Parameter inFlightLimit: As of a `Display`.
  public init(_ variant: FeedVariant, on loop: EventLoop, inFlightLimit: Int = 128 << 20) {
    self.variant = variant
    let limits =
      switch variant.drawing {
      case .onLoop, .sliced: [1]
      case .thread: [Self.threadLimit]
      case .rotation: [Int](repeating: 1, count: OperationScheduler.defaultWorkerLimit / 2)
      // One for each processor while it scrolls: with one more a worker that is cancelled
      // waited for its turn to see it, and no more cards came.
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

  /// The display for the next card.
  func next() -> Display {
    turn += 1
    return displays[turn % displays.count]
  }

  /// Whether somebody scrolls, and the loop needs a processor.
  public var isScrolling = false {
    didSet {
      guard isScrolling != oldValue, variant.drawing == .shared else { return }
      for scheduler in schedulers { scheduler.isInteractive = isScrolling }
    }
  }

  /// Has `body` called on a worker that has stopped drawing what was cancelled meanwhile,
  /// with how long it took to, and for how long of that it computed.
  ///
  /// Call on the loop. As `Display.onStopped`.
  public func whenStopped(
    _ body: (@Sendable (_ after: Duration, _ computed: Duration?) -> Void)?
  ) {
    for display in displays { display.onStopped = body }
  }

  /// Operations that run now, with those that free memory.
  public var running: Int { schedulers.reduce(0) { $0 + $1.metrics.running } }

  /// What all its displays have displayed.
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
