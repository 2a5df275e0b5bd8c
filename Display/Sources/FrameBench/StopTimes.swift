import AsyncDisplay
import LoopTransactions

/// Collects the times that workers took to stop after a cancellation. May be
/// used on any thread.
final class StopTimes: Sendable {
  private let stops = Locked<[FrameRecord.Stop]>([])

  func add(_ after: Duration, computed: Duration?) {
    let stop = FrameRecord.Stop(
      after: Self.nanoseconds(after),
      computed: computed.map(Self.nanoseconds)
    )
    stops.withLock { $0.append(stop) }
  }

  /// Removes and returns the collected times.
  func take() -> [FrameRecord.Stop] {
    stops.withLock { stops in
      defer { stops.removeAll(keepingCapacity: true) }
      return stops
    }
  }

  private static func nanoseconds(_ duration: Duration) -> UInt64 {
    UInt64(max(0, duration / .nanoseconds(1)))
  }
}
