public import LoopTransactions

/// The state shared by the layers of one loop: the display commit, worker
/// threads and memory.
///
/// In each tick, at order 2,000,000, the display begins a display of every
/// layer that needs one, highest priority first. This is after queues are
/// drained, and before idle blocks and transactions. Layers that are
/// invalidated later in the tick are displayed in the next tick, which starts
/// without blocking. A display belongs to its loop's thread.
///
/// The display commit spends the loop's budget, which posts, queues and
/// transactions share. Each layer counts as one item, and each tick begins at
/// least one. Layers beyond the budget begin in the next tick, before layers
/// that have a lower priority or came later. Two kinds of layers are not
/// delayed by the budget: layers of a container that has begun in the tick, so
/// that they appear together, and layers that are drawn on the loop.
///
/// ```swift
/// let display = Display(on: loop)
/// let layer = Layer(in: display)
/// layer.delegate = card
/// layer.size = Size(width: 320, height: 504)
/// layer.setNeedsDisplay()
/// loop.run()
/// ```
///
/// Modelled on Core Animation's commit and Texture's display queue.
public final class Display {
  /// The loop that the display belongs to.
  public let loop: EventLoop

  /// Runs asynchronous displays.
  public let scheduler: OperationScheduler

  /// The pool that bitmaps come from.
  public let pool: BitmapPool

  /// The most bytes of bitmaps in flight. A bitmap is in flight while it waits
  /// for a worker, is being drawn or decoded, or waits for delivery on the
  /// loop.
  ///
  /// A layer that would exceed the limit keeps its contents until other bitmaps
  /// have been delivered. If nothing is in flight, one display may always
  /// begin. Displays that are waited for, and displays drawn on the loop,
  /// ignore the limit.
  ///
  /// Images wait behind layers. They are counted by the size in their file's
  /// header, or as the largest possible image if the header does not tell, plus
  /// the memory that their modification declares. Blurred shadows of a node are
  /// counted by the memory of the largest one.
  ///
  /// Reused memory can be up to two fifths larger than the counted bytes. The
  /// limit does not include:
  ///
  /// - contents that are shown
  /// - decoded images that nodes keep or have not drawn yet
  /// - the coefficients that libjpeg keeps while it decodes a JPEG in several
  ///   scans, up to 8 bytes per pixel
  /// - groups of translucent subnodes, each at most as large as the bitmap
  /// - memory that drawing code allocates
  ///
  /// Use on the loop.
  public var inFlightLimit: Int {
    didSet {
      check("Display.inFlightLimit")
      commitSoon()
    }
  }

  /// Called on a worker after it has stopped drawing or decoding for a
  /// cancelled operation.
  ///
  /// `after` is the time from the cancellation until the worker stopped.
  /// `computed` is the CPU time it spent in that period, or nil where the
  /// system does not provide it (Linux does). The worker spent the rest
  /// waiting, mostly for a CPU. Nothing is measured while this property is nil.
  ///
  /// Set it on the loop. It applies to operations that begin later.
  public var onStopped: (@Sendable (_ after: Duration, _ computed: Duration?) -> Void)? {
    didSet { check("Display.onStopped") }
  }

  /// Decodes images. Equal images are decoded once. O10.
  let images: SingleFlight<ImageKey, Bitmap>

  /// Blocks to call when the loop has time.
  let idle: RunLoopQueue<IdleBlock>

  private let checkThread = ThreadCheck()
  var counts = DisplayMetrics()
  // Layers that wait to begin.
  var waiting = LayerBacklog()
  // Layers that were scheduled during a commit, for the next one. Their
  // `isLate` is set.
  var late: [DisplayCore] = []
  // Images that wait for memory, and the places of those that wait for the same
  // image.
  var undecoded = Backlog<PendingDecode>()
  var sharing: [ImageKey: Set<Backlog<PendingDecode>.Place>] = [:]
  /// The number of waiting layers and images that have been examined.
  package var examinedCount = 0
  // The memory reserved for each decoding, and the number of loads that wait
  // for it.
  var decodes: [ImageKey: (byteCount: Int, count: Int, watch: CancelWatch?)] = [:]
  var isCommitting = false
  private var deliveries: [AsyncTransaction] = []
  // Runs the display commit. Rests while no layer or image waits.
  private(set) var observer: Observer?

  /// The order of the display commit among the observers of a tick.
  public static let order = 2_000_000

  /// Creates a display for `loop`.
  ///
  /// Call on the loop.
  ///
  /// - Parameters:
  ///   - loop: The loop to display on. Retained.
  ///   - scheduler: Runs asynchronous displays.
  ///   - pool: Where bitmaps come from. If nil, a new pool that `scheduler`
  ///     trims.
  ///   - inFlightLimit: The most bytes of bitmaps in flight. The default, 128
  ///     MiB, holds forty cards of a feed at scale 2. Not measured.
  public init(
    on loop: EventLoop,
    scheduler: OperationScheduler = .shared,
    pool: BitmapPool? = nil,
    inFlightLimit: Int = 128 << 20
  ) {
    self.loop = loop
    self.scheduler = scheduler
    self.pool = pool ?? BitmapPool(scheduler: scheduler)
    self.inFlightLimit = inFlightLimit
    images = SingleFlight(on: scheduler)
    idle = RunLoopQueue(on: loop, batchSize: .unlimited, order: Self.order + 1) { block, _ in
      block.run()
    }
    observer = loop.addObserver(for: [.beforeWaiting, .exit], order: Self.order) {
      [weak self] _ in
      guard let self else { return }
      commit(spendingBudgetOf: loop)
    }
    observer?.isResting = true
  }

  deinit { observer?.cancel() }

  /// Counts of the displays so far.
  ///
  /// Call on the loop.
  public var metrics: DisplayMetrics {
    check("Display.metrics")
    var metrics = counts
    metrics.waiting = waitingCount
    return metrics
  }

  /// Traps unless called on the loop's thread.
  @inline(__always)
  func check(_ operation: StaticString) { checkThread(operation) }

  /// Creates an open transaction for displays.
  func makeTransaction() -> AsyncTransaction {
    AsyncTransaction(on: loop, name: "display", scheduler: scheduler)
  }
}

// Counting and delivering.
extension Display {
  func countBegun() { counts.begun += 1 }

  func count(_ outcome: DisplayOutcome) {
    switch outcome {
    case .displayed: counts.displayed += 1
    case .cleared: counts.cleared += 1
    case .cancelled: counts.cancelled += 1
    case .failed: counts.failed += 1
    }
  }

  /// Calls `body`, which is part of a completion of `transaction`.
  func delivering(_ transaction: AsyncTransaction?, _ body: () -> Void) {
    guard let transaction else { return body() }
    deliveries.append(transaction)
    defer { deliveries.removeLast() }
    body()
  }

  /// Whether a completion of `transaction` is being called.
  func isDelivering(_ transaction: AsyncTransaction) -> Bool {
    deliveries.contains { $0 === transaction }
  }
}
