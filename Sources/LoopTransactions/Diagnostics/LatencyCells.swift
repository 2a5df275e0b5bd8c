/// The counters behind `LoopLatencies`. The loop writes them; any thread reads
/// them.
final class LatencyCells: Sendable {
  private let wakeLateness = HistogramCells()
  private let busy = HistogramCells()
  private let pollToCallback = HistogramCells()

  /// Adds the latencies of the tick that `recorder` has ended. Loop only.
  // The address, because the tick is large and only some of it is read.
  @inline(never)
  func record(_ recorder: UnsafeMutablePointer<Recorder>) {
    let rate = recorder.pointee.tick.rate
    if let lateness = recorder.pointee.tick.lateness { wakeLateness.record(lateness) }
    let (start, end) = (recorder.pointee.tick.start, recorder.pointee.tick.end)
    busy.record(rate.nanoseconds(of: end > start ? end &- start : 0))
    guard let wait = recorder.pointee.tick.pollToCallback else { return }
    pollToCallback.record(rate.nanoseconds(of: wait))
  }

  /// The latencies so far.
  var snapshot: LoopLatencies {
    var latencies = LoopLatencies()
    latencies.wakeLateness = wakeLateness.snapshot
    latencies.busy = busy.snapshot
    latencies.pollToCallback = pollToCallback.snapshot
    return latencies
  }
}

/// The counters of one histogram, which one thread writes.
final class HistogramCells: @unchecked Sendable {
  // @unchecked: the pointer never changes, and the counters are atomic. They are
  // relaxed, because they order no other memory. A reader may miss a latency in
  // one counter and see it in another; the snapshot's count is therefore the sum
  // of the buckets.
  private typealias Counter = MetricsCells.Counter

  private let buckets: UnsafeMutablePointer<MetricsCells.Counter>
  private let scale = LatencyHistogram.scale
  private let bucketCount = LatencyHistogram.scale.bucketCount
  private let least = Counter()
  private let most = Counter()
  private let total = Counter()

  init() {
    buckets = .allocate(capacity: bucketCount)
    for index in 0..<bucketCount { (buckets + index).initialize(to: Counter()) }
    least.set(.max)
  }

  deinit {
    buckets.deinitialize(count: bucketCount)
    buckets.deallocate()
  }

  /// Adds one latency. Call on the writing thread.
  func record(_ nanoseconds: UInt64) {
    total.add(nanoseconds)
    if nanoseconds < least.value { least.set(nanoseconds) }
    if nanoseconds > most.value { most.set(nanoseconds) }
    buckets[scale.bucket(of: min(nanoseconds, scale.limit - 1))].add()
  }

  /// The latencies so far. Call from any thread.
  var snapshot: LatencyHistogram {
    LatencyHistogram(
      buckets: (0..<bucketCount).map { buckets[$0].value },
      least: least.value,
      most: most.value,
      total: total.value
    )
  }
}

extension LatencyCells: Unreflected {}
extension HistogramCells: Unreflected {}
