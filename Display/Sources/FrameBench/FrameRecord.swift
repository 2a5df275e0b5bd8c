/// A record of one run of a feed, frame by frame. Times are in ns.
public struct FrameRecord: Sendable {
  /// One refresh of the screen.
  public struct Refresh: Sendable {
    /// Whether a new frame was shown.
    public var isPresented = false
    /// The number of visible cards.
    public var tiles = 0
    /// The number of visible cards without a picture.
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
    /// The time from the cancellation until the worker stopped.
    public var after: UInt64
    /// The CPU time that the worker spent within `after`, or nil if the system
    /// does not report it.
    public var computed: UInt64?
  }

  /// Every refresh, in the order of time.
  public var refreshes: [Refresh] = []
  /// The time from each frame to the next.
  public var intervals: [UInt64] = []
  /// The time that the loop did not poll, for each tick.
  public var stalls: [UInt64] = []
  /// How late each heartbeat was delivered.
  public var inputs: [UInt64] = []
  /// The time that the feed waited for each card.
  public var waits: [UInt64] = []
  /// The times of workers that stopped after a cancellation.
  public var stops: [Stop] = []
  /// The number of dropped refreshes during which the loop's thread was
  /// computing.
  public var droppedBusy = 0
  /// The number of visible cards that showed another card's picture.
  public var stale = 0
  /// The CPU time of all threads.
  public var processNs: UInt64 = 0
  /// The CPU time of the loop's thread.
  public var loopNs: UInt64 = 0
  /// The numbers of cards that came near the viewport, that got a picture, and
  /// that left without a picture.
  public var (wanted, shown, givenUp) = (0, 0, 0)
  /// The peak number of bytes of bitmaps in flight.
  public var peakBytes = 0
  /// The highest number of operations running at the same time, sampled once
  /// per frame.
  public var running = 0
  /// The number of cancelled displays.
  public var cancelled = 0
  /// The number of displayed pictures of new and redrawn cards.
  public var pictures = 0

  /// Creates an empty record.
  public init() {}

  /// The number of refreshes without a new frame.
  public var dropped: Int { refreshes.reduce(0) { $0 + ($1.isPresented ? 0 : 1) } }
  /// The number of visible cards, summed over all refreshes.
  public var tiles: Int { refreshes.reduce(0) { $0 + $1.tiles } }
  /// The number of visible cards without a picture, summed over all refreshes.
  public var blanks: Int { refreshes.reduce(0) { $0 + $1.blanks } }
}
