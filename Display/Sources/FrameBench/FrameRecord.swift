/// A record of one run of a feed, frame by frame. Times are in ns.
public struct FrameRecord: Sendable {
  /// One refresh of the screen.
  public struct Refresh: Sendable {
    /// True if a new frame was shown.
    public var isPresented = false
    /// Number of visible cards.
    public var tiles = 0
    /// Number of visible cards without a picture.
    public var blanks = 0

    /// Creates a refresh.
    public init(isPresented: Bool = false, tiles: Int = 0, blanks: Int = 0) {
      self.isPresented = isPresented
      self.tiles = tiles
      self.blanks = blanks
    }
  }

  /// How quickly a worker stopped after its drawing was cancelled.
  public struct Stop: Sendable {
    /// Time from the cancellation until the worker stopped.
    public var after: UInt64
    /// Processor time within `after`; nil if the system does not report it.
    public var computed: UInt64?
  }

  /// Every refresh, in order.
  public var refreshes: [Refresh] = []
  /// The time from each frame to the next.
  public var intervals: [UInt64] = []
  /// How long the loop was away from its poll, for each tick.
  public var stalls: [UInt64] = []
  /// How late each heartbeat was delivered.
  public var inputs: [UInt64] = []
  /// How long each card was waited for.
  public var waits: [UInt64] = []
  /// The workers that stopped after a cancellation.
  public var stops: [Stop] = []
  /// Dropped refreshes during which the loop's thread was computing.
  public var droppedBusy = 0
  /// Visible cards with another card's picture.
  public var stale = 0
  /// Processor time of all threads.
  public var processNs: UInt64 = 0
  /// Processor time of the loop's thread.
  public var loopNs: UInt64 = 0
  /// Cards that came near, got a picture, and left without one.
  public var (wanted, shown, givenUp) = (0, 0, 0)
  /// Peak bytes of bitmaps in flight.
  public var peakBytes = 0
  /// Most operations running at the same time, sampled once per frame.
  public var running = 0
  /// Cancelled displays.
  public var cancelled = 0
  /// Displayed pictures of new and of redrawn cards.
  public var pictures = 0

  /// Creates an empty record.
  public init() {}

  /// Number of refreshes without a new frame.
  public var dropped: Int { refreshes.reduce(0) { $0 + ($1.isPresented ? 0 : 1) } }
  /// Visible cards, summed over all frames.
  public var tiles: Int { refreshes.reduce(0) { $0 + $1.tiles } }
  /// Visible cards without a picture, summed over all frames.
  public var blanks: Int { refreshes.reduce(0) { $0 + $1.blanks } }
}
