/// How late a loop was, and why, since it began to record.
///
/// A snapshot from `LoopPort.latencies` or `LoopGroup.latencies`. Each histogram
/// has at most one latency of each tick. The time before the first tick of a run
/// and between two runs is in none of them, except that `busy` of an adopted
/// loop includes the time that its owner spends between two of its own runs.
///
/// ```swift
/// loop.recordsLatencies = true
/// loop.run()
/// if let latencies = port.latencies {
///   print("late:", latencies.wakeLateness.value(atPercentile: 99))
///   print("busy:", latencies.busy.value(atPercentile: 99))
/// }
/// ```
///
/// A value: create and read it on any thread.
public struct LoopLatencies: Hashable, Sendable {
  /// The time by which a tick was later than its cause: the post that woke the
  /// loop, or the timer that was due. The longest, if there were several. Ticks
  /// without a known cause do not count.
  ///
  /// A timer that is not precise is due in whole milliseconds, so it is up to
  /// 1 ms late on an idle loop.
  public var wakeLateness = LatencyHistogram()

  /// The time from the return of the poll until the loop was about to poll
  /// again: the time for which new events had to wait. Every tick counts.
  public var busy = LatencyHistogram()

  /// The time from the return of the poll until the last callback of the tick
  /// began: the longest time for which a callback waited for those before it.
  /// Ticks without callbacks do not count.
  public var pollToCallback = LatencyHistogram()

  /// Creates the latencies of a loop that has recorded none.
  public init() {}

  /// Adds all latencies of another loop.
  ///
  /// - Complexity: O(1), in the fixed number of buckets of three histograms.
  public mutating func merge(_ other: LoopLatencies) {
    wakeLateness.merge(other.wakeLateness)
    busy.merge(other.busy)
    pollToCallback.merge(other.pollToCallback)
  }
}

extension LoopLatencies: CustomStringConvertible {
  /// One line for each histogram.
  public var description: String {
    """
    wakeLateness: \(wakeLateness)
    busy: \(busy)
    pollToCallback: \(pollToCallback)
    """
  }
}
