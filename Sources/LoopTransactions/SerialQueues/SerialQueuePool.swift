import Synchronization

/// A fixed number of serial queues for one kind of work, used in turn.
///
/// Use it from any thread. Closures on different queues run concurrently;
/// closures on the same queue run in order. The queues have no threads of their
/// own.
///
/// ```swift
/// let decoding = SerialQueuePool("decode", priority: .high)
/// decoding.next().add { decode(file) }
/// ```
///
/// Modelled on YYKit's `YYDispatchQueuePool`.
public final class SerialQueuePool: Sendable {
  /// The queues, in the order they are used.
  public let queues: [SerialQueue]

  private let turn = Atomic<UInt>(0)

  /// Creates a pool of serial queues.
  ///
  /// Call from any thread.
  ///
  /// - Parameters:
  ///   - name: The name of every queue, used for debugging.
  ///   - count: The number of queues. Defaults to one per CPU that this process
  ///     may use, at most 32.
  ///   - scheduler: The scheduler whose workers run the closures.
  ///   - priority: The priority at which the queues compete for workers.
  /// - Precondition: `count` is from 1 to 32.
  public init(
    _ name: String,
    count: Int = SerialQueuePool.defaultCount,
    on scheduler: OperationScheduler = .shared,
    priority: OperationPriority = .normal
  ) {
    require(
      (1...32).contains(count),
      "SerialQueuePool: count must be from 1 to 32, got \(count)"
    )
    queues = (0..<count).map { _ in SerialQueue(name, on: scheduler, priority: priority) }
  }

  /// One per CPU that this process may use, at most 32.
  ///
  /// Call from any thread.
  public static let defaultCount = min(32, ActiveCores.count)

  /// Returns the next queue in turn.
  ///
  /// Call from any thread. One atomic addition.
  public func next() -> SerialQueue {
    // Relaxed: only the number is shared. Unsigned, so it may wrap around.
    let number = turn.wrappingAdd(1, ordering: .relaxed).oldValue
    return queues[Int(number % UInt(queues.count))]
  }
}
