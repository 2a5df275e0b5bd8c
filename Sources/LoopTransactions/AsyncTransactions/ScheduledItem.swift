import Synchronization

/// One that its transaction's scheduler runs.
final class ScheduledItem<Value: Sendable>: ValueItem<Value>, @unchecked Sendable {
  // @unchecked: `body` is written before a worker may know of the operation, and
  // taken by who runs or cancels it; `handle` is written before `isStarted` is set,
  // and read where that is seen.

  private let scheduler: SchedulerCore
  private var body: (@Sendable (AsyncTransaction.Operation) throws -> Value)?
  private var handle: OperationHandle?
  // Sequentially consistent, both: of two threads, one that starts it and one that
  // cancels or moves it, at least one sees what the other did.
  private let isStarted = Atomic<Bool>(false)
  private let level: Atomic<Int>

  /// An operation of `core` that will run `body`.
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
      // Under the scheduler's lock: whoever runs it knows it.
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
    // Not started: `start()` or `run(_:)` sees that it was cancelled.
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
    // One that did not run still holds it.
    body = nil
    core.operationEnded()
  }
}
