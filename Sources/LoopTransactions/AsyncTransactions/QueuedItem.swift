import Synchronization

/// An operation that is queued on the scheduler of its transaction. A base
/// class.
class QueuedItem<Value>: ValueItem<Value>, @unchecked Sendable {
  // @unchecked: `handle` is written before `isStarted` is set, and read by
  // threads that see it set. Each derived class documents how its own state is
  // protected.

  final let scheduler: SchedulerCore
  @exclusivity(unchecked) private var handle: OperationHandle?
  // Both, and `isCancelled`, are sequentially consistent. One thread starts the
  // operation while another cancels or moves it, and at least one of the two
  // must see the other's store.
  private let isStarted = Atomic<Bool>(false)
  private let wantedLevel: Atomic<Int>

  init(
    _ name: String,
    _ core: AsyncTransactionCore,
    on scheduler: SchedulerCore,
    _ priority: OperationPriority,
    _ completion: consuming ((AsyncTransaction.Outcome<Value>) -> Void)?
  ) {
    self.scheduler = scheduler
    wantedLevel = Atomic(OperationBacklog.level(priority))
    super.init(name, core, completion)
  }

  /// The level at which the operation is queued, or was when it began.
  final var level: Int { wantedLevel.load(ordering: .sequentiallyConsistent) }

  /// Whether `start()` has been called. Loop only.
  final var wasStarted: Bool { isStarted.load(ordering: .relaxed) }

  override final func start() {
    let first = level
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
    let now = level
    if now != first { _ = move(to: now) }
  }

  override func cancelQueued() -> Bool {
    // If the operation has not started, `start()` or `run(_:)` will see that it
    // was cancelled.
    guard isStarted.load(ordering: .sequentiallyConsistent), let handle else { return true }
    return scheduler.cancel(handle)
  }

  override final func move(to level: Int) -> Bool {
    wantedLevel.store(level, ordering: .sequentiallyConsistent)
    guard isStarted.load(ordering: .sequentiallyConsistent), let handle else { return true }
    return scheduler.move(handle, to: level)
  }

  override final var isThreaded: Bool { scheduler.stepped == nil }

  override final func runIfQueued() {
    if let handle { _ = scheduler.runIfQueued(handle) }
  }
}
