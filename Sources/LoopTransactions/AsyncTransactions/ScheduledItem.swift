import Synchronization

/// An operation that runs on the scheduler of its transaction.
final class ScheduledItem<Value: Sendable>: ValueItem<Value>, @unchecked Sendable {
  // @unchecked: `body` is written before a worker can see the operation, and
  // consumed by the thread that runs or cancels it. `handle` is written before
  // `isStarted` is set, and read by threads that see it set.

  private let scheduler: SchedulerCore
  private var body: (@Sendable (AsyncTransaction.Operation) throws -> Value)?
  private var handle: OperationHandle?
  // `isStarted` and the values that other threads set are sequentially
  // consistent. One thread starts the operation while another cancels or moves
  // it, and at least one of the two must see the other's store.
  private let isStarted = Atomic<Bool>(false)
  private let level: Atomic<Int>

  /// Creates an operation of `core` that runs `body`.
  init(
    _ name: String,
    _ core: AsyncTransactionCore,
    on scheduler: SchedulerCore,
    _ priority: OperationPriority,
    _ body: consuming @escaping @Sendable (AsyncTransaction.Operation) throws -> Value,
    _ completion: consuming ((AsyncTransaction.Outcome<Value>) -> Void)?
  ) {
    self.scheduler = scheduler
    level = Atomic(OperationBacklog.level(priority))
    self.body = body
    super.init(name, core, completion)
  }

  override func start() {
    let first = level.load(ordering: .sequentiallyConsistent)
    let added = scheduler.add(.owner(self), level: first) { handle in
      // Stored under the scheduler's lock, so the thread that runs the
      // operation sees the handle.
      self.handle = handle
      isStarted.store(true, ordering: .sequentiallyConsistent)
    }
    guard added else {
      trap("AsyncTransaction.add: the scheduler is closed")
    }
    if isCancelled { cancel() }
    let now = level.load(ordering: .sequentiallyConsistent)
    if now != first { _ = move(to: now) }
  }

  override func cancelQueued() -> Bool {
    // If the operation has not started, `start()` or `run(_:)` will see that it
    // was cancelled.
    guard isStarted.load(ordering: .sequentiallyConsistent), let handle else { return true }
    return scheduler.cancel(handle)
  }

  override func move(to level: Int) -> Bool {
    self.level.store(level, ordering: .sequentiallyConsistent)
    guard isStarted.load(ordering: .sequentiallyConsistent), let handle else { return true }
    return scheduler.move(handle, to: level)
  }

  override func runIfQueued() {
    if let handle { _ = scheduler.runIfQueued(handle) }
  }

  override func run(_ operation: ScheduledOperation) {
    let body = body
    self.body = nil
    guard let body, !isCancelled else { return }
    outcome = Self.outcome { try body(AsyncTransaction.Operation(item: self)) }
  }

  override func operationEnded(_ end: OperationEnd) {
    // `body` is still set if it did not run.
    body = nil
    core.operationEnded()
  }
}
