public import LoopTransactions

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Allocates the memory of bitmaps and caches some of it for reuse.
///
/// Releasing the last reference to a bitmap returns its memory to the pool on
/// the thread that releases it. The pool caches the memory for a later bitmap
/// or frees it. Without a scheduler, the cache is limited to `keepLimit` bytes;
/// the oldest memory is freed first.
///
/// Returning a large bitmap to the system takes milliseconds. A pool with a
/// scheduler therefore frees the memory beyond `keepLimit` on its workers, at a
/// lower priority than drawing. Until then the memory can be reused. Such a
/// pool caches at most twice `keepLimit`, plus one block that is larger than
/// `keepLimit`, and frees any further memory immediately. Use the pool from any
/// thread.
public final class BitmapPool: Sendable {
  /// Counts of the memory in use and in the cache.
  public struct Metrics: Hashable, Sendable {
    /// The number of live bitmaps.
    public var lent = 0
    /// The bytes of live bitmaps.
    public var lentBytes = 0
    /// The highest value that `lentBytes` has reached.
    public var peakLentBytes = 0
    /// The bytes cached for reuse.
    public var keptBytes = 0
    /// The number of bitmaps created with memory from the system.
    public var allocated = 0
    /// The number of bitmaps created with cached memory.
    public var reused = 0

    /// Creates metrics with all counts zero.
    public init() {}
  }

  private let state: Locked<BitmapPoolState>
  private let scheduler: OperationScheduler?
  private let process = getpid()
  private let allocate: @Sendable (Int) -> BitmapMemory?

  /// Creates an empty pool.
  ///
  /// Call from any thread.
  ///
  /// - Parameters:
  ///   - keepLimit: The maximum number of bytes to cache. The default of 64 MiB
  ///     holds twenty cards of a feed at scale 2. Not measured.
  ///   - scheduler: The scheduler whose workers free the memory beyond
  ///     `keepLimit`. Until they have freed it, the cache holds up to twice the
  ///     limit, plus one bitmap that is larger than the limit. If nil, the
  ///     thread that releases a bitmap frees excess memory.
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
    state = Locked(BitmapPoolState(keepLimit: keepLimit, isTrimmed: scheduler != nil))
    self.scheduler = scheduler
    self.allocate = allocate
  }

  /// Creates a pool in which allocations of more than `limit` bytes fail.
  static func failing(above limit: Int) -> BitmapPool {
    BitmapPool(keepLimit: 0, scheduler: nil) { $0 > limit ? nil : BitmapMemory(byteCount: $0) }
  }

  deinit { trim() }

  /// The memory in use and in the cache.
  ///
  /// Call from any thread.
  public var metrics: Metrics { state.withLock { $0.metrics } }

  /// Frees all cached memory on the calling thread.
  ///
  /// Call from any thread, for example under memory pressure.
  public func trim() { trim(to: 0) }

  /// Returns at least `byteCount` bytes with undefined content, or nil if the
  /// system has no memory.
  func take(_ byteCount: Int) -> BitmapMemory? {
    let rounded = Self.rounded(byteCount)
    if let memory = state.withLock({ $0.take(rounded) }) { return memory }
    guard let memory = allocate(rounded) else { return nil }
    state.withLock { $0.lendFresh(rounded) }
    return memory
  }

  /// Takes memory back from a bitmap.
  func giveBack(_ memory: BitmapMemory) {
    let (freed, shouldTrim) = state.withLock { ($0.giveBack(memory), $0.requestTrim()) }
    for each in freed { each.free() }
    if shouldTrim { trimSoon() }
  }

  // Frees one block of memory per operation, so that a drawing operation added
  // in the meantime waits for one block at most.
  private func trimSoon() {
    // A forked child process has no workers, but it releases the bitmaps that
    // it inherited.
    guard let scheduler, getpid() == process else {
      return trim(to: state.withLock { $0.keepLimit })
    }
    scheduler.add(priority: .background) { [weak self] _ in
      // Does not retain `self` while memory is freed, because the last
      // reference to the pool must not be released on a worker.
      guard let memory = self?.state.withLock({ $0.trimOne() }) else { return }
      memory.free()
      self?.trimSoon()
    }
  }

  private func trim(to limit: Int) {
    for memory in state.withLock({ $0.shrink(to: limit) }) { memory.free() }
  }

  /// Rounds up by at most an eighth, so that cached memory fits more requests.
  private static func rounded(_ byteCount: Int) -> Int {
    let width = Int.bitWidth - max(byteCount, 4096).leadingZeroBitCount
    let grain = 1 << (width - 4)
    return (byteCount + grain - 1) / grain * grain
  }
}
