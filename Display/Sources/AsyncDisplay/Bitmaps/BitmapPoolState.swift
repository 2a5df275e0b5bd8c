/// Which memory is lent, and which is kept for the next who asks.
///
/// Under the pool's lock. What is to be freed is handed to the caller, who does it
/// without the lock. D8.
struct BitmapPoolState {
  /// So many bytes are kept.
  let keepLimit: Int
  /// At most so many, and one bitmap that is larger than the limit, until somebody comes by
  /// who frees the others.
  let mostKept: Int
  // In the order in which they are freed: what is larger than the limit, if there is one;
  // then the oldest.
  private(set) var kept: [BitmapMemory] = []
  private(set) var metrics = BitmapPool.Metrics()
  // Whether somebody will come by.
  private var isAsked = false

  /// Whether somebody comes by: then twice as much may be kept.
  init(keepLimit: Int, isTrimmed: Bool) {
    self.keepLimit = keepLimit
    let twice = keepLimit.multipliedReportingOverflow(by: 2)
    mostKept = !isTrimmed ? keepLimit : twice.overflow ? .max : twice.partialValue
  }

  // The bytes of the one that is larger than the limit.
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
    assert(metrics.keptBytes == kept.reduce(0) { $0 + $1.byteCount }, "BitmapPool: kept bytes")
    assert(metrics.keptBytes - largeBytes <= mostKept, "BitmapPool: more than may be kept")
    assert(kept.dropFirst().allSatisfy { $0.byteCount <= keepLimit }, "BitmapPool: large ones")
    assert(metrics.lent >= 0 && metrics.lentBytes >= 0, "BitmapPool: more came than was lent")
  }
}

// What is lent.
extension BitmapPoolState {
  /// Lends memory of `byteCount` that was kept, if there is some: what fits best, and is no
  /// more than a quarter larger.
  ///
  /// - Complexity: O(n) in what is kept.
  mutating func take(_ byteCount: Int) -> BitmapMemory? {
    defer { checkInvariants() }
    let most = byteCount + byteCount / 4
    var best: Int?
    // The last one back is the likeliest to be in a cache.
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

  /// Takes note of fresh memory that is lent.
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

// What comes back.
extension BitmapPoolState {
  /// Takes memory back; what is to be freed for it.
  mutating func giveBack(_ memory: BitmapMemory) -> [BitmapMemory] {
    defer { checkInvariants() }
    metrics.lentBytes -= memory.byteCount
    metrics.lent -= 1
    let isLarge = memory.byteCount > keepLimit
    // By whoever comes by, if there is somebody, and nothing as large waits for that.
    if isLarge, mostKept == keepLimit || largeBytes > 0 { return [memory] }
    // It is of use to few: before all others.
    kept.insert(memory, at: isLarge ? 0 : kept.count)
    metrics.keptBytes += memory.byteCount
    return shrinkOthers()
  }

  /// Whether somebody has to be asked to free what is over the limit. Says so once, until
  /// nothing is.
  mutating func shouldAsk() -> Bool {
    guard !isAsked, mostKept > keepLimit, metrics.keptBytes > keepLimit else { return false }
    isAsked = true
    return true
  }

  /// What who was asked is to free next; nil if nothing is over the limit.
  mutating func trimOne() -> BitmapMemory? {
    defer { checkInvariants() }
    if metrics.keptBytes > keepLimit { return remove(at: 0) }
    isAsked = false
    return nil
  }

  /// Keeps no more than `limit` bytes; what is to be freed.
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
