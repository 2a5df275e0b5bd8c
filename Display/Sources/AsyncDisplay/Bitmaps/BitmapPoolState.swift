/// Which memory is lent, and which is kept for the next who asks.
///
/// Under the pool's lock. What is to be freed is handed to the caller, who does it
/// without the lock. D8.
struct BitmapPoolState {
  /// So many bytes are kept.
  let keepLimit: Int
  /// At most so many, until somebody comes by who frees the others.
  let mostKept: Int
  // Whether somebody will.
  private var isTrimmed = false
  // Oldest first.
  private(set) var kept: [BitmapMemory] = []
  private(set) var metrics = BitmapPool.Metrics()

  init(keepLimit: Int, mostKept: Int) { (self.keepLimit, self.mostKept) = (keepLimit, mostKept) }

  /// Lends memory of `byteCount` that was kept, if there is some: what fits best, and is no
  /// more than half as large again.
  ///
  /// - Complexity: O(n) in what is kept.
  mutating func take(_ byteCount: Int) -> BitmapMemory? {
    let most = byteCount + byteCount / 2
    var best: Int?
    // The last one back is the likeliest to be in a cache.
    for index in kept.indices.reversed() where byteCount...most ~= kept[index].byteCount {
      if let best, kept[index].byteCount >= kept[best].byteCount { continue }
      best = index
    }
    guard let best else { return nil }
    let memory = kept.remove(at: best)
    metrics.keptBytes -= memory.byteCount
    metrics.reused += 1
    lend(memory.byteCount)
    return memory
  }

  /// Takes note of fresh memory that is lent.
  mutating func lendFresh(_ byteCount: Int) {
    metrics.allocated += 1
    lend(byteCount)
  }

  /// Takes memory back; what is to be freed for it.
  mutating func giveBack(_ memory: BitmapMemory) -> [BitmapMemory] {
    metrics.lentBytes -= memory.byteCount
    metrics.lent -= 1
    guard memory.byteCount <= mostKept else { return [memory] }
    kept.append(memory)
    metrics.keptBytes += memory.byteCount
    return shrink(to: mostKept)
  }

  /// Whether somebody has to be asked to free what is over the limit. Says so once, until
  /// nothing is.
  mutating func shouldAsk() -> Bool {
    guard !isTrimmed, metrics.keptBytes > keepLimit else { return false }
    isTrimmed = true
    return true
  }

  /// What who was asked is to free next; nil if nothing is over the limit.
  mutating func trimOne() -> BitmapMemory? {
    if metrics.keptBytes > keepLimit, let memory = kept.first {
      kept.removeFirst()
      metrics.keptBytes -= memory.byteCount
      return memory
    }
    isTrimmed = false
    return nil
  }

  /// Keeps no more than `limit` bytes; what is to be freed.
  mutating func shrink(to limit: Int) -> [BitmapMemory] {
    var count = 0
    while metrics.keptBytes > limit {
      metrics.keptBytes -= kept[count].byteCount
      count += 1
    }
    let freed = kept.prefix(count)
    kept.removeFirst(count)
    return Array(freed)
  }

  private mutating func lend(_ byteCount: Int) {
    metrics.lent += 1
    metrics.lentBytes += byteCount
    metrics.peakLentBytes = max(metrics.peakLentBytes, metrics.lentBytes)
  }
}
