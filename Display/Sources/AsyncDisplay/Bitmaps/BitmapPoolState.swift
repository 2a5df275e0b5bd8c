/// Tracks bitmap memory in use and memory cached for reuse.
///
/// Protected by the pool's lock. Functions return the memory to free, and the
/// caller frees it after unlocking. D8.
struct BitmapPoolState {
  /// The maximum number of bytes to cache.
  let keepLimit: Int
  /// The maximum number of bytes cached until a worker trims the pool. One
  /// bitmap larger than `keepLimit` may be cached in addition.
  let mostKept: Int
  // In the order in which the blocks are freed. A block larger than the limit
  // comes first. The others follow from oldest to newest.
  private(set) var kept: [BitmapMemory] = []
  private(set) var metrics = BitmapPool.Metrics()
  // Whether a trim was requested and has not finished yet.
  private var isTrimRequested = false

  /// Creates an empty state. If `isTrimmed`, workers trim the cache, and it may
  /// hold twice the limit until they do.
  init(keepLimit: Int, isTrimmed: Bool) {
    self.keepLimit = keepLimit
    let twice = keepLimit.multipliedReportingOverflow(by: 2)
    mostKept = !isTrimmed ? keepLimit : twice.overflow ? .max : twice.partialValue
  }

  // The size of the block larger than the limit, or 0 if there is no such
  // block.
  private var largeBytes: Int {
    guard let first = kept.first, first.byteCount > keepLimit else { return 0 }
    return first.byteCount
  }

  private mutating func remove(at index: Int) -> BitmapMemory {
    let memory = kept.remove(at: index)
    metrics.keptBytes -= memory.byteCount
    return memory
  }

  func checkInvariants() {
    let keptBytes = kept.reduce(0) { $0 + $1.byteCount }
    assert(
      metrics.keptBytes == keptBytes,
      "BitmapPool: metrics count \(metrics.keptBytes) cached bytes, "
        + "but the cached blocks have \(keptBytes)"
    )
    assert(
      metrics.keptBytes - largeBytes <= mostKept,
      "BitmapPool: cache limit exceeded: \(metrics)"
    )
    assert(
      kept.dropFirst().allSatisfy { $0.byteCount <= keepLimit },
      "BitmapPool: more than one block above the limit is cached"
    )
    assert(
      metrics.lent >= 0 && metrics.lentBytes >= 0,
      "BitmapPool: more memory was returned than lent: \(metrics)"
    )
  }
}

// Lending.
extension BitmapPoolState {
  /// Returns the best-fitting cached memory, or nil if no cached memory fits.
  /// Memory fits if it has at least `byteCount` bytes and at most a quarter
  /// more.
  ///
  /// - Complexity: O(n) in the number of cached blocks.
  mutating func take(_ byteCount: Int) -> BitmapMemory? {
    defer { checkInvariants() }
    let most = byteCount + byteCount / 4
    var best: Int?
    // The most recently returned block is most likely still in the CPU cache.
    for index in kept.indices.reversed() where byteCount...most ~= kept[index].byteCount {
      if let best, kept[index].byteCount >= kept[best].byteCount { continue }
      best = index
      if kept[index].byteCount == byteCount { break }
    }
    guard let best else { return nil }
    let memory = remove(at: best)
    metrics.reused += 1
    lend(memory.byteCount)
    return memory
  }

  /// Counts newly allocated memory as lent.
  mutating func lendFresh(_ byteCount: Int) {
    defer { checkInvariants() }
    metrics.allocated += 1
    lend(byteCount)
  }

  private mutating func lend(_ byteCount: Int) {
    metrics.lent += 1
    metrics.lentBytes += byteCount
    metrics.peakLentBytes = max(metrics.peakLentBytes, metrics.lentBytes)
  }
}

// Returning.
extension BitmapPoolState {
  /// Takes memory back from a bitmap. Returns the memory that the caller must
  /// free.
  mutating func giveBack(_ memory: BitmapMemory) -> [BitmapMemory] {
    defer { checkInvariants() }
    metrics.lentBytes -= memory.byteCount
    metrics.lent -= 1
    let isLarge = memory.byteCount > keepLimit
    // A block larger than the limit is cached only if a worker can free it
    // later and no other such block is cached.
    if isLarge, mostKept == keepLimit || largeBytes > 0 { return [memory] }
    // Few bitmaps can reuse a block larger than the limit, so it is freed
    // before all other blocks.
    kept.insert(memory, at: isLarge ? 0 : kept.count)
    metrics.keptBytes += memory.byteCount
    return shrinkOthers()
  }

  /// Returns whether the caller must request a trim. After it has returned
  /// true, it returns false until the cache is within the limit again.
  mutating func requestTrim() -> Bool {
    guard !isTrimRequested, mostKept > keepLimit, metrics.keptBytes > keepLimit else {
      return false
    }
    isTrimRequested = true
    return true
  }

  /// Returns the next memory for the trimming worker to free, or nil if the
  /// cache is within the limit.
  mutating func trimOne() -> BitmapMemory? {
    defer { checkInvariants() }
    if metrics.keptBytes > keepLimit { return remove(at: 0) }
    isTrimRequested = false
    return nil
  }

  /// Reduces the cache to `limit` bytes. Returns the memory to free.
  mutating func shrink(to limit: Int) -> [BitmapMemory] {
    defer { checkInvariants() }
    var freed: [BitmapMemory] = []
    while metrics.keptBytes > limit { freed.append(remove(at: 0)) }
    return freed
  }

  private mutating func shrinkOthers() -> [BitmapMemory] {
    var freed: [BitmapMemory] = []
    while metrics.keptBytes - largeBytes > mostKept {
      freed.append(remove(at: largeBytes > 0 ? 1 : 0))
    }
    return freed
  }
}
