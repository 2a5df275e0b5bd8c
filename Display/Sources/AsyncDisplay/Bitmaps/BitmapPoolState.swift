/// Which memory is lent, and which is kept for the next who asks.
///
/// Under the pool's lock. What is to be freed is handed to the caller, who does it
/// without the lock. D8.
struct BitmapPoolState {
  /// At most so many bytes are kept.
  let keepLimit: Int
  // Oldest first.
  private(set) var kept: [BitmapMemory] = []
  private(set) var metrics = BitmapPool.Metrics()

  init(keepLimit: Int) { self.keepLimit = keepLimit }

  /// Lends memory of `byteCount` that was kept, if there is some.
  mutating func take(_ byteCount: Int) -> BitmapMemory? {
    // The last one back is the likeliest to be in a cache.
    guard let index = kept.lastIndex(where: { $0.byteCount == byteCount }) else { return nil }
    let memory = kept.remove(at: index)
    metrics.keptBytes -= byteCount
    metrics.reused += 1
    lend(byteCount)
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
    guard memory.byteCount <= keepLimit else { return [memory] }
    kept.append(memory)
    metrics.keptBytes += memory.byteCount
    return shrink(to: keepLimit)
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
