public import LoopTransactions

/// The state shared by the layers of one loop. It includes the display commit,
/// the worker threads and the memory in flight.
///
/// In each tick, at order 2,000,000, the display begins a display of every
/// layer that needs a display, highest priority first. At that time queues have
/// been drained, and transactions follow. Layers that are invalidated later in
/// the tick are displayed in the next tick, which starts without blocking. Work
/// that can wait until no layer does belongs in `EventLoop.whenIdle`. A
/// `Display` belongs to its loop's thread.
///
/// The display commit spends the loop's budget, which posts, queues and
/// transactions share. Each layer counts as one item, and each tick begins the
/// display of at least one layer. Layers beyond the budget begin in the next
/// tick, before layers that have a lower priority or were invalidated later.
/// Two kinds of layers are not delayed by the budget. Layers of a container
/// that has begun in the tick are not delayed because they must appear
/// together. Layers that are drawn on the loop are not delayed either.
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

  /// The scheduler that runs asynchronous displays.
  public let scheduler: OperationScheduler

  /// The pool that bitmaps come from.
  public let pool: BitmapPool

  /// The maximum number of bytes of bitmaps in flight. A bitmap is in flight
  /// while it waits for a worker, is being drawn or decoded, or waits for
  /// delivery on the loop.
  ///
  /// A layer that would exceed the limit keeps its contents until other bitmaps
  /// have been delivered. If nothing is in flight, one display may always
  /// begin. The limit does not apply to displays drawn on the loop and to
  /// displays that the loop waits for.
  ///
  /// Images are decoded after waiting layers have begun. The memory of an image
  /// is computed from the size in its file's header. If the header does not
  /// contain the size, the largest possible image is assumed. The memory that
  /// the image's modification declares is added. Blurred shadows of a node are
  /// counted by the memory of the largest shadow.
  ///
  /// Reused memory can be up to two fifths larger than the counted bytes. The
  /// limit does not include:
  ///
  /// - contents that are shown
  /// - decoded images that nodes keep or have not yet drawn
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

  /// Called on a worker when it has stopped drawing or decoding for a cancelled
  /// operation.
  ///
  /// `after` is the time from the cancellation until the worker stopped.
  /// `computed` is the CPU time that the worker spent in that period, or nil
  /// where the system does not provide it (Linux does). The worker spent the
  /// rest of the period waiting, mostly for a CPU. Nothing is measured while
  /// this property is nil.
  ///
  /// Set it on the loop. It applies to operations that begin later.
  public var onStopped: (@Sendable (_ after: Duration, _ computed: Duration?) -> Void)? {
    didSet { check("Display.onStopped") }
  }

  /// Decodes images. Equal images are decoded once. O10.
  let images: SingleFlight<ImageKey, Bitmap>

  /// Traps unless called on the loop's thread.
  let check = ThreadCheck()
  var counts = DisplayMetrics()
  // Times displays, if `measuresDrawing` is true.
  var meter: DrawingMeter?
  // The metrics at the last report.
  var reported = DisplayMetrics()
  // Layers whose display waits to begin.
  var waiting = LayerBacklog()
  // Layers that were scheduled during a display commit, for the next commit.
  // Their `isLate` is true.
  var late: [DisplayCore] = []
  // Images that wait for memory. `sharing` holds their places by image.
  var undecoded = Backlog<PendingDecode>()
  var sharing: [ImageKey: Set<Backlog<PendingDecode>.Place>] = [:]
  /// The number of waiting layers and images that have been examined.
  var examinedCount = 0
  // The memory reserved for each decoding operation, and the number of loads
  // that wait for its result.
  var decodes: [ImageKey: (byteCount: Int, count: Int, watch: CancelWatch?)] = [:]
  var isCommitting = false
  private var deliveries: [AsyncTransaction] = []
  // Runs the display commit. The observer rests while no layer or image waits.
  private(set) var observer: Observer?

  /// The order of the display commit among the observers of a tick.
  public static let order = 2_000_000

  /// Creates a display for `loop`.
  ///
  /// Call on the loop.
  ///
  /// - Parameters:
  ///   - loop: The loop to display on. Retained.
  ///   - scheduler: The scheduler that runs asynchronous displays.
  ///   - pool: The pool that bitmaps come from. If nil, the display creates a
  ///     pool that `scheduler` trims.
  ///   - inFlightLimit: The maximum number of bytes of bitmaps in flight. The
  ///     default of 128 MiB holds forty cards of a feed at scale 2. Not
  ///     measured.
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

  /// Creates an open transaction for displays.
  func makeTransaction() -> AsyncTransaction {
    AsyncTransaction(on: loop, name: "display", scheduler: scheduler)
  }
}

// Counting and delivering.
extension Display {
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
