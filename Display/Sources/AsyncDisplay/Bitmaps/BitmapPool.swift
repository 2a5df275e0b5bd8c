public import LoopTransactions

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Lends the memory of bitmaps, and keeps some of what comes back.
///
/// A bitmap's memory comes back when the last reference to it goes, on that thread, at
/// once: it is kept for the next bitmap, or freed. What is kept is bounded by `keepLimit`,
/// the oldest freed first. To give a large bitmap back to the system takes milliseconds,
/// so a pool that has a scheduler leaves that to its workers, at a priority below what is
/// drawn; what comes back meanwhile is used again, and freed at once where more than twice
/// the limit is kept. Use it from any thread.
///
/// In place of the queues on which YYKit and Texture let go of bitmaps, which may starve
/// under load, and have no bound.
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
  private let scheduler: OperationScheduler?
  private let process = getpid()
  private let allocate: @Sendable (Int) -> BitmapMemory?

  /// An empty pool.
  ///
  /// Call from any thread.
  ///
  /// - Parameters:
  ///   - keepLimit: So many bytes are kept; 64 MiB are twenty cards of a feed at scale 2, a
  ///     guess.
  ///   - scheduler: Who frees what is over that: twice as many at most, and one bitmap that
  ///     is larger. Nil: whoever lets go of a bitmap, at once.
  /// - Precondition: `keepLimit` is not negative.
  public convenience init(keepLimit: Int = 64 << 20, scheduler: OperationScheduler? = nil) {
    self.init(keepLimit: keepLimit, scheduler: scheduler) { BitmapMemory(byteCount: $0) }
  }

  private init(
    keepLimit: Int,
    scheduler: OperationScheduler?,
    allocate: @escaping @Sendable (Int) -> BitmapMemory?
  ) {
    require(keepLimit >= 0, "BitmapPool: keepLimit must not be negative, got \(keepLimit)")
    state = Guarded(BitmapPoolState(keepLimit: keepLimit, isTrimmed: scheduler != nil))
    self.scheduler = scheduler
    self.allocate = allocate
  }

  /// A pool that has no memory for more than `limit` bytes at a time.
  package static func failing(above limit: Int) -> BitmapPool {
    BitmapPool(keepLimit: 0, scheduler: nil) { $0 > limit ? nil : BitmapMemory(byteCount: $0) }
  }

  deinit { trim() }

  /// What it has lent, and keeps.
  ///
  /// Call from any thread.
  public var metrics: Metrics { state.withLock { $0.metrics } }

  /// Frees what is kept, on this thread.
  ///
  /// Call from any thread, under memory pressure.
  public func trim() { trim(to: 0) }

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
    let (freed, asks) = state.withLock { ($0.giveBack(memory), $0.shouldAsk()) }
    for each in freed { each.free() }
    if asks { trimSoon() }
  }

  // One at a time: whoever comes meanwhile has to wait for no more.
  private func trimSoon() {
    // A child that was forked has no workers, and lets go of what it inherited.
    guard let scheduler, getpid() == process else {
      return trim(to: state.withLock { $0.keepLimit })
    }
    scheduler.add(priority: .background) { [weak self] _ in
      // Not `self` while it is freed: its last reference is somebody else's.
      guard let memory = self?.state.withLock({ $0.trimOne() }) else { return }
      memory.free()
      self?.trimSoon()
    }
  }

  private func trim(to limit: Int) {
    for memory in state.withLock({ $0.shrink(to: limit) }) { memory.free() }
  }

  /// An eighth more at most, so that what is kept fits more often.
  private static func rounded(_ byteCount: Int) -> Int {
    let width = Int.bitWidth - max(byteCount, 4096).leadingZeroBitCount
    let grain = 1 << (width - 4)
    return (byteCount + grain - 1) / grain * grain
  }
}
