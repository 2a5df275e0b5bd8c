/// Lends the memory of bitmaps, and keeps some of what comes back.
///
/// A bitmap's memory comes back when the last reference to it goes, on that thread,
/// at once: it is kept for the next bitmap, or freed, and nothing is put off. What is
/// kept is bounded by `keepLimit`, the oldest freed first. Use it from any thread.
///
/// In place of the queues on which YYKit and Texture let go of bitmaps, and which may
/// starve under load.
public final class BitmapPool: Sendable {
  /// What a pool has lent, and keeps.
  public struct Metrics: Hashable, Sendable {
    /// Bitmaps that are alive.
    public var lent = 0
    /// Their bytes.
    public var lentBytes = 0
    /// The most bytes that were lent at once.
    public var peakLentBytes = 0
    /// Bytes kept for the next bitmaps.
    public var keptBytes = 0
    /// Bitmaps made of memory from the system.
    public var allocated = 0
    /// Bitmaps made of memory that was kept.
    public var reused = 0

    /// Nothing so far.
    public init() {}
  }

  private let state: Guarded<BitmapPoolState>
  private let allocate: @Sendable (Int) -> BitmapMemory?

  // 64 MiB: twenty cards of a feed at scale 2. Guess.

  /// An empty pool.
  ///
  /// Call from any thread.
  ///
  /// - Parameter keepLimit: So many bytes are kept at most.
  /// - Precondition: `keepLimit` is not negative.
  public convenience init(keepLimit: Int = 64 << 20) {
    self.init(keepLimit: keepLimit) { BitmapMemory(byteCount: $0) }
  }

  init(keepLimit: Int, allocate: @escaping @Sendable (Int) -> BitmapMemory?) {
    require(keepLimit >= 0, "BitmapPool: keepLimit must not be negative, got \(keepLimit)")
    state = Guarded(BitmapPoolState(keepLimit: keepLimit))
    self.allocate = allocate
  }

  /// A pool that has no memory for more than `limit` bytes at a time.
  package static func failing(above limit: Int) -> BitmapPool {
    BitmapPool(keepLimit: 0) { $0 > limit ? nil : BitmapMemory(byteCount: $0) }
  }

  deinit { trim() }

  /// What it has lent, and keeps.
  ///
  /// Call from any thread.
  public var metrics: Metrics { state.withLock { $0.metrics } }

  /// Frees what is kept, on this thread.
  ///
  /// Call from any thread, under memory pressure.
  public func trim() {
    for memory in state.withLock({ $0.shrink(to: 0) }) { memory.free() }
  }

  /// Memory of at least `byteCount`, of whatever content, or nil if the system has none.
  func take(_ byteCount: Int) -> BitmapMemory? {
    let rounded = Self.rounded(byteCount)
    if let memory = state.withLock({ $0.take(rounded) }) { return memory }
    guard let memory = allocate(rounded) else { return nil }
    state.withLock { $0.lendFresh(rounded) }
    return memory
  }

  /// Takes memory back.
  func giveBack(_ memory: BitmapMemory) {
    for each in state.withLock({ $0.giveBack(memory) }) { each.free() }
  }

  /// An eighth more at most, so that bitmaps of about the same size share memory.
  private static func rounded(_ byteCount: Int) -> Int {
    let width = Int.bitWidth - max(byteCount, 4096).leadingZeroBitCount
    let grain = 1 << (width - 4)
    return (byteCount + grain - 1) / grain * grain
  }
}
