public import LoopTransactions

/// What the layers of a loop share: the display commit, workers, and memory.
///
/// In each tick, at order 2,000,000 (behind queues, before idle blocks and transactions),
/// it begins a display of every layer that needs one, the most urgent first. What is
/// invalidated by that, or by transactions, is displayed in the next tick, which comes
/// without blocking. Belongs to the loop's thread.
///
/// It spends the loop's budget, which it shares with posts, queues and transactions. Each
/// layer is a piece of work, and each tick begins one at least. The rest is begun in the next
/// tick, before layers that are less urgent or came later. Layers of a container are begun
/// together, and layers that are drawn on the loop are drawn in their tick, also past the
/// budget.
///
/// ```swift
/// let display = Display(on: loop)
/// let layer = Layer(in: display)
/// layer.delegate = card
/// layer.bounds = Size(width: 320, height: 504)
/// layer.setNeedsDisplay()
/// loop.run()
/// ```
///
/// After Core Animation's commit, and Texture's display queue.
public final class Display {
  /// The loop that it belongs to.
  public let loop: EventLoop

  /// Who runs asynchronous displays.
  public let scheduler: OperationScheduler

  /// Where bitmaps come from.
  public let pool: BitmapPool

  /// So many bytes of bitmaps may be in flight: waiting for a worker, drawn or decoded, or
  /// waiting for the loop. Pictures count by the size that their files tell, as largest if
  /// those do not, with what their modification says it needs, and wait behind layers. The
  /// blurred shadows of a node count with it, at the room that the largest of them takes.
  /// A layer whose display would need more stays as it is until others have landed; one
  /// alone may always begin. What is waited for, and what is drawn on the loop, is not
  /// held back.
  ///
  /// Memory is as large as what was used before, and may be two fifths more than what is
  /// counted. Not counted: contents that are shown, decoded pictures that nodes keep or have not
  /// drawn yet, what libjpeg has of a JPEG in scans while it is decoded (as much as 8 bytes
  /// a pixel), groups of translucent parts, each no larger than the bitmap, and what a
  /// drawing makes by itself.
  ///
  /// Use it on the loop.
  public var inFlightLimit: Int {
    didSet {
      check("Display.inFlightLimit")
      commitSoon()
    }
  }

  /// Called on a worker that was drawing or decoding what was cancelled meanwhile, once
  /// it has stopped: with how long it took to, and for how long of that it computed, where
  /// the system says so, as Linux does. The rest it was kept waiting, mostly for a
  /// processor. While this is nil nobody measures.
  ///
  /// Set it on the loop. What begins later tells it.
  public var onStopped: (@Sendable (_ after: Duration, _ computed: Duration?) -> Void)? {
    didSet { check("Display.onStopped") }
  }

  /// Pictures that are decoded: equal ones once. O10.
  let images: SingleFlight<ImageKey, Bitmap>

  /// What is called when the loop has time.
  let idle: RunLoopQueue<IdleBlock>

  private let checkThread = ThreadCheck()
  var counts = DisplayMetrics()
  // Layers that are to be begun.
  var waiting = LayerBacklog()
  // Those that came while a commit was under way, for the next: `isLate` is set.
  var late: [DisplayCore] = []
  // Pictures that wait for memory, and where those wait that want the same.
  var undecoded = Backlog<PendingDecode>()
  var sharing: [ImageKey: Set<Backlog<PendingDecode>.Place>] = [:]
  /// How many layers and pictures that waited were looked at so far.
  package var lookedAt = 0
  // What is reserved for a decoding, and how many wait for it.
  var decodes: [ImageKey: (byteCount: Int, count: Int, watch: CancelWatch?)] = [:]
  var isCommitting = false
  private var deliveries: [AsyncTransaction] = []
  // The display commit: it rests until a layer or a picture waits.
  private(set) var observer: Observer?

  /// The order of the display commit among a tick's observers.
  public static let order = 2_000_000

  /// The display of `loop`.
  ///
  /// Call on the loop.
  ///
  /// - Parameters:
  ///   - pool: As the property; nil for one that `scheduler` trims.
  ///   - inFlightLimit: As the property; 128 MiB are forty cards of a feed at scale 2, a
  ///     guess.
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

  /// What has been displayed so far.
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

  /// An open transaction for displays.
  func makeTransaction() -> AsyncTransaction {
    AsyncTransaction(on: loop, name: "display", scheduler: scheduler)
  }
}

// What was told.
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

  /// Runs `body`, a completion of `transaction`.
  func delivering(_ transaction: AsyncTransaction?, _ body: () -> Void) {
    guard let transaction else { return body() }
    deliveries.append(transaction)
    defer { deliveries.removeLast() }
    body()
  }

  /// Whether completions of `transaction` are being called.
  func isDelivering(_ transaction: AsyncTransaction) -> Bool {
    deliveries.contains { $0 === transaction }
  }
}
