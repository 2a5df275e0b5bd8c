import LoopTransactions
import LoopTransactionsTesting

/// An element of a queue.
final class Parcel: Sendable {
  let name: String

  /// Creates a parcel called `name`.
  init(_ name: String) { self.name = name }
}

/// Creates a queue that records its deliveries and drains in `stepped.trace`.
func recordingQueue(
  on stepped: SteppedLoop,
  _ membership: RunLoopQueue<Parcel>.Membership = .strong,
  batchSize: BatchSize = 1,
  isExclusive: Bool = true,
  capacity: QueueCapacity? = nil,
  _ body: @escaping (Parcel) -> Void = { _ in }
) -> RunLoopQueue<Parcel> {
  let trace = stepped.trace
  return RunLoopQueue(
    on: stepped.loop,
    membership: membership,
    batchSize: batchSize,
    isExclusive: isExclusive,
    capacity: capacity,
    onDrain: { trace.record("drain") }
  ) { parcel, isDrained in
    trace.record(isDrained ? "\(parcel.name), the last" : parcel.name)
    body(parcel)
  }
}
