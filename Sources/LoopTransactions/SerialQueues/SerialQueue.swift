import Synchronization

/// Runs closures one at a time, in the order they were added, on the workers of
/// a scheduler.
///
/// Use it from any thread. The queue occupies one worker while it has closures
/// to run. An empty queue occupies no worker.
///
/// ```swift
/// let disk = SerialQueue("disk", priority: .background)
/// disk.add { write(page) }
/// ```
///
/// See also: a serial `DispatchQueue` is the counterpart in Dispatch, where
/// each queue may bring up a thread of its own.
public final class SerialQueue: Sendable {
  /// The name used for debugging.
  public let name: String

  let core: SerialQueueCore

  /// Creates an empty queue.
  ///
  /// Call from any thread.
  ///
  /// - Parameters:
  ///   - name: The name used for debugging.
  ///   - scheduler: The scheduler whose workers run the closures.
  ///   - priority: The priority at which the queue competes for a worker.
  public init(
    _ name: String,
    on scheduler: OperationScheduler = .shared,
    priority: OperationPriority = .normal
  ) {
    self.name = name
    core = SerialQueueCore(name, scheduler, level: OperationBacklog.level(priority))
  }

  /// Adds `body` to the end of the queue.
  ///
  /// Call from any thread. `body` runs in no task of its own, so it sees no
  /// task-local values. The captures of `body` are released on the worker that
  /// ran it, before the next closure begins. If the queue is released, its
  /// closures still run.
  ///
  /// - Complexity: O(1).
  public func add(_ body: consuming @escaping @Sendable () -> Void) { core.add(body) }

  /// Drops all closures that have not begun.
  ///
  /// Call from any thread. The captures of these closures are released on the
  /// calling thread.
  ///
  /// - Returns: The number of dropped closures.
  @discardableResult
  public func removeAll() -> Int { core.removeAll() }

  /// The number of closures that have not begun.
  ///
  /// Call from any thread.
  public var count: Int { core.count }
}

/// The operation of a serial queue, which runs its closures.
final class SerialQueueCore: OperationOwner, @unchecked Sendable {
  // @unchecked: `state` has a lock, and the other properties are constant.

  // A struct, because a bare closure in an optional or an array would be
  // wrapped in another closure.
  private struct Block {
    let run: @Sendable () -> Void

    init(_ run: consuming @escaping @Sendable () -> Void) { self.run = run }
  }

  private struct State {
    /// The closures added since the worker last swapped the lists.
    var added: [Block?] = []
    /// The closures that run before the closures in `added`.
    var next: [Block?] = []
    /// The number of closures at the front of `next` that were dequeued.
    var dequeued = 0
    /// Whether an operation of the queue is scheduled or running.
    var isScheduled = false

    var count: Int { added.count + next.count - dequeued }

    mutating func dequeue() -> Block? {
      if dequeued == next.count { swapLists() }
      guard dequeued < next.count else { return nil }
      dequeued += 1
      return next[dequeued - 1].take()
    }

    // Two lists are used in turn, so that a queue that is never empty does not
    // grow.
    private mutating func swapLists() {
      // Keeps the memory of up to 64 closures. Not measured.
      next.removeAll(keepingCapacity: next.count <= 64)
      dequeued = 0
      swap(&added, &next)
    }
  }

  private let name: String
  private let scheduler: OperationScheduler
  private let level: Int
  private let state = Locked(State())

  init(_ name: String, _ scheduler: OperationScheduler, level: Int) {
    self.name = name
    self.scheduler = scheduler
    self.level = level
  }

  var title: String { name }

  func add(_ body: consuming @escaping @Sendable () -> Void) {
    scheduler.core.checkProcess()
    // Moved, because a copy might hold the last reference to the captures.
    var block: Block? = Block(body)
    let needsOperation = state.withLock { state in
      state.added.append(block.take())
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if needsOperation { schedule() }
  }

  /// Whether this is not the process that created the scheduler, but a forked
  /// child.
  var isForked: Bool { scheduler.core.isForked }

  var count: Int {
    scheduler.core.checkProcess()
    return state.withLock { $0.count }
  }

  func removeAll() -> Int {
    scheduler.core.checkProcess()
    let removed = state.withLock { state in
      defer { (state.added, state.next, state.dequeued) = ([], [], 0) }
      return (state.next, state.added, state.count)
    }
    return removed.2
  }

  private func schedule() {
    if scheduler.core.add(.owner(self), level: level) == nil {
      trap("SerialQueue.add: the scheduler is closed")
    }
  }

  /// Runs closures until the queue is empty or the worker should run other
  /// operations.
  func run(_ operation: ScheduledOperation) {
    // 100 us: the longest time that a more urgent operation waits for a queue
    // of short closures.
    let end = System.nanoseconds + 100_000
    let stepped = scheduler.core.stepped
    while runNext() {
      // A test chooses whether the closure took long.
      let tookLong = stepped.map { count > 0 && $0.choose(2) == 1 } ?? (System.nanoseconds > end)
      if tookLong { return schedule() }
    }
  }

  /// Runs the next closure and releases it. Returns false if the queue is
  /// empty.
  private func runNext() -> Bool {
    let block = state.withLock { state in
      let block = state.dequeue()
      if block == nil { state.isScheduled = false }
      return block
    }
    block?.run()
    return block != nil
  }
}

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
    require((1...32).contains(count), "SerialQueuePool: count must be from 1 to 32, got \(count)")
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
