import Synchronization

/// One that its transaction's scheduler runs.
final class ScheduledItem<Value: Sendable>: ValueItem<Value>, @unchecked Sendable {
  // @unchecked: `content` is touched on the loop only; `handle` is written before
  // `isStarted` is set, and read where that is seen.

  private let scheduler: SchedulerCore
  private var content: OperationNode.Content?  // loop only
  private var handle: OperationHandle?
  // Sequentially consistent, both: of two threads, one that starts it and one that
  // cancels or moves it, at least one sees what the other did.
  private let isStarted = Atomic<Bool>(false)
  private let level: Atomic<Int>

  /// An operation of `core` that will run `body`.
  init(
    _ name: StaticString,
    _ core: AsyncTransactionCore,
    on scheduler: SchedulerCore,
    _ priority: OperationPriority,
    _ body: @escaping @Sendable (AsyncTransaction.Operation) throws -> Value,
    _ completion: ((AsyncTransaction.Outcome<Value>) -> Void)?
  ) {
    self.scheduler = scheduler
    level = Atomic(OperationBacklog.level(priority))
    super.init(name, core, completion)
    // Unowned: what runs it holds it as its owner.
    let run: @Sendable (ScheduledOperation) -> Void = { [unowned(unsafe) self] _ in
      if !isCancelled {
        outcome = Self.outcome { try body(AsyncTransaction.Operation(item: self)) }
      }
    }
    content = OperationNode.Content(body: run, owner: self, number: 0)
  }

  override func start() {
    guard let content = content.take() else { return }
    let first = level.load(ordering: .sequentiallyConsistent)
    let added = scheduler.add(content, level: first) { handle in
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

  override func cancel() {
    super.cancel()
    if isStarted.load(ordering: .sequentiallyConsistent), let handle {
      _ = scheduler.cancel(handle)
    }
  }

  override func move(to level: Int) -> Bool {
    self.level.store(level, ordering: .sequentiallyConsistent)
    guard isStarted.load(ordering: .sequentiallyConsistent), let handle else { return true }
    return scheduler.move(handle, to: level)
  }

  override func help() {
    if let handle { _ = scheduler.runIfWaiting(handle) }
  }

  override func operationEnded(_ number: Int, _ end: OperationEnd) { core.operationEnded() }
}
