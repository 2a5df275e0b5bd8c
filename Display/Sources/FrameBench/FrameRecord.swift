/// What one run of a feed showed, frame by frame. Times are in ns.
public struct FrameRecord: Sendable {
  /// One refresh of the screen.
  public struct Refresh: Sendable {
    /// Whether there was a new frame for it.
    public var isPresented = false
    /// Cards that were seen.
    public var tiles = 0
    /// Those without a picture.
    public var blanks = 0

    /// One that showed so many cards, and so many placeholders among them.
    public init(isPresented: Bool = false, tiles: Int = 0, blanks: Int = 0) {
      self.isPresented = isPresented
      self.tiles = tiles
      self.blanks = blanks
    }
  }

  /// How a worker stopped once what it drew was cancelled.
  public struct Stop: Sendable {
    /// How long it took to.
    public var after: UInt64
    /// For how long of that it computed; nil where the system does not say.
    public var computed: UInt64?
  }

  /// Every refresh, in turn.
  public var refreshes: [Refresh] = []
  /// From each frame to the one after it.
  public var intervals: [UInt64] = []
  /// How long the loop was away from its poll, each time.
  public var stalls: [UInt64] = []
  /// How late each beat of the heart was delivered.
  public var inputs: [UInt64] = []
  /// How long cards were waited for.
  public var waits: [UInt64] = []
  /// How workers stopped once what they drew was cancelled.
  public var stops: [Stop] = []
  /// Refreshes without a new frame while the loop's thread itself was computing.
  public var droppedBusy = 0
  /// Cards that showed the picture of another.
  public var stale = 0
  /// What all threads computed, and the loop's thread alone.
  public var processNs: UInt64 = 0
  /// What the loop's thread computed.
  public var loopNs: UInt64 = 0
  /// Cards that came near, that got a picture, and that were given up without one.
  public var (wanted, shown, givenUp) = (0, 0, 0)
  /// The most bytes of bitmaps in flight.
  public var peakBytes = 0
  /// The most operations that ran at once, as seen once a frame.
  public var running = 0
  /// Displays that were cancelled.
  public var cancelled = 0
  /// Pictures that were shown, of new cards and of those drawn anew.
  public var pictures = 0

  /// Nothing so far.
  public init() {}

  /// Refreshes without a new frame.
  public var dropped: Int { refreshes.reduce(0) { $0 + ($1.isPresented ? 0 : 1) } }
  /// Cards that were seen, in all frames.
  public var tiles: Int { refreshes.reduce(0) { $0 + $1.tiles } }
  /// Those without a picture.
  public var blanks: Int { refreshes.reduce(0) { $0 + $1.blanks } }
}
