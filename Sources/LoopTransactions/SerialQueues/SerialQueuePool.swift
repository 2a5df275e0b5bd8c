import Synchronization

/// Some serial queues for one class of work, used in turn.
///
/// As many things at once as there are queues, each in order with what shares its
/// queue; no thread of their own. Use it from any thread.
///
/// ```swift
/// let decoding = SerialQueuePool("decode", priority: .high)
/// decoding.next().add { decode(file) }
/// ```
///
/// After YYKit's dispatch queue pool, whose signed counter overran.
public final class SerialQueuePool: Sendable {
  /// The queues, in the order they are used.
  public let queues: [SerialQueue]

  private let turn = Atomic<UInt>(0)

  /// A pool of `count` queues on `scheduler`.
  ///
  /// Call from any thread.
  ///
  /// - Parameters:
  ///   - name: What a diagnosis calls every queue.
  ///   - count: By default one for each processor that this process may use.
  ///   - priority: At which their turn comes.
  /// - Precondition: `count` is within 1 and 32.
  public init(
    _ name: String,
    count: Int = SerialQueuePool.defaultCount,
    on scheduler: OperationScheduler = .shared,
    priority: OperationPriority = .normal
  ) {
    require(
      (1...32).contains(count),
      "SerialQueuePool: count must be within 1 and 32, got \(count)"
    )
    queues = (0..<count).map { _ in SerialQueue(name, on: scheduler, priority: priority) }
  }

  /// One for each processor that this process may use, 32 at most.
  ///
  /// Read it on any thread.
  public static let defaultCount = min(32, ActiveCores.count)

  /// The queue whose turn it is.
  ///
  /// Call from any thread. One atomic addition.
  public func next() -> SerialQueue {
    // Relaxed: nothing but the number is shared. Unsigned: it may overrun.
    let number = turn.wrappingAdd(1, ordering: .relaxed).oldValue
    return queues[Int(number % UInt(queues.count))]
  }
}

extension SerialQueuePool: CustomReflectable {
  /// Its queues.
  public var customMirror: Mirror { Mirror(self, showing: [("queues", queues)]) }
}
