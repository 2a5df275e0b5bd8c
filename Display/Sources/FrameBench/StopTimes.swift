import AsyncDisplay
import LoopTransactions

/// How long workers took to stop, as they tell it. Of any thread.
final class StopTimes: Sendable {
  private let stops = Locked<[FrameRecord.Stop]>([])

  func add(_ after: Duration, computed: Duration?) {
    let stop = FrameRecord.Stop(
      after: Self.nanoseconds(after),
      computed: computed.map(Self.nanoseconds)
    )
    stops.withLock { $0.append(stop) }
  }

  /// Those that were told since the last time.
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
