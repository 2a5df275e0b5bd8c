/// Operations that run on workers, and whose completions run together on a loop.
///
/// Operations start when they are added. After `commit()`, and once the last of them
/// has ended, all completions are called on the loop, in the order they were added,
/// each once, with its outcome; what the transaction itself is to tell comes last.
/// So parts that were made at different times appear together. Completions of
/// many transactions reach a sleeping loop by one wake.
///
/// While a committed transaction is not complete, its loop's `run()` goes on.
/// Closing the loop cancels it: running operations are waited for, and every
/// completion is called.
///
/// ```swift
/// let transaction = AsyncTransaction(on: loop)
/// transaction.add { _ in decode(file) } completion: { outcome in
///   if case .value(let picture) = outcome { view.show(picture) }
/// }
/// transaction.commit()
/// ```
///
/// After Texture's async transaction, which could complete twice, or never.
public final class AsyncTransaction {
  /// How far a transaction is.
  public enum State: Hashable, Sendable {
    /// Operations can be added.
    case open
    /// Waiting for operations to end.
    case committed
    /// Cancelled, and waiting for operations that run.
    case cancelled
    /// Every completion was called.
    case complete
  }

  /// When operations begin.
  public enum Start: Hashable, Sendable {
    /// As they are added.
    case whenAdded
    /// When the transaction is committed.
    case onCommit
  }

  /// What a debugger and a diagnosis call it.
  public let name: String

  let core: AsyncTransactionCore
  let scheduler: OperationScheduler
  private let start: Start
  private let unfinished: UnfinishedTransactions

  // All of these are the loop's, and unchecked: nothing is called while one changes.
  /// The operations, until they are complete.
  @exclusivity(unchecked) private(set) var items = OperationItems()
  @exclusivity(unchecked) private var endings: [(AsyncTransaction) -> Void] = []
  /// Where it is among the unfinished ones of its loop.
  @exclusivity(unchecked) var links = UnfinishedTransactions.Links()
  /// Whether its group commits it at the end of the tick.
  @exclusivity(unchecked) var isInGroup = false

  /// An open transaction of `loop`, whose operations `scheduler` runs.
  ///
  /// Call on the loop. It has to be committed before it is dropped, unless it is
  /// empty.
  ///
  /// - Parameters:
  ///   - name: What a diagnosis calls it.
  ///   - start: When operations begin.
  public init(
    on loop: EventLoop,
    name: String = "transaction",
    scheduler: OperationScheduler = .shared,
    start: Start = .whenAdded
  ) {
    loop.checkUsable("AsyncTransaction.init")
    self.name = name
    self.scheduler = scheduler
    self.start = start
    unfinished = loop.part(UnfinishedTransactions.self)
    core = AsyncTransactionCore(loop: loop.core)
    core.transaction = self
    unfinished.open(self)
  }

  // On the loop: it is not Sendable, and a committed one is kept there.
  deinit {
    core.transaction = nil
    unfinished.remove(self)
    // One by one: each would release the next within its own end, however many.
    defer { while let item = items.removeFirst() { item.dropCompletion() } }
    guard !items.isEmpty, state == .open, !core.loop.isForked, !unfinished.isAbandoned else {
      return
    }
    trap(
      "AsyncTransaction \(name): dropped while open; commit() it, also where it is to be cancelled"
    )
  }

  /// How far it is.
  ///
  /// Call on the loop.
  public var state: State {
    let state = core.state
    switch state.phase {
    case .open: return .open
    case .committed, .completing: return state.isCancelled ? .cancelled : .committed
    case .complete: return .complete
    }
  }

  /// Whether it was cancelled before its completions were called.
  ///
  /// Call on the loop; `Operation.isCancelled` tells workers.
  public var isCancelled: Bool { core.state.isCancelled }

  /// Calls `body` on the loop after every completion of an operation.
  ///
  /// Call on the loop, until the transaction is complete. Several are called in the
  /// order added, then released there.
  ///
  /// - Precondition: It is not complete.
  public func whenComplete(_ body: @escaping (AsyncTransaction) -> Void) {
    check("AsyncTransaction.whenComplete")
    require(state != .complete, "AsyncTransaction.whenComplete: \(name) is complete already")
    endings.append(body)
  }
}

// Adding and committing.
extension AsyncTransaction {
  /// Adds an operation: `body` runs on a worker, `completion` on the loop.
  ///
  /// Call on the loop. What `body` holds is released before a completion may run, on the
  /// worker, on the loop where that helps in `waitUntilComplete`, or where it was
  /// cancelled; `completion` is released on the
  /// loop when it was called.
  ///
  /// - Parameters:
  ///   - name: What a diagnosis calls it.
  ///   - body: Told the operation, to ask whether it was cancelled. An error is its
  ///     outcome; a `CancellationError` counts as cancelled.
  ///   - completion: Called once, with the outcome.
  /// - Precondition: The transaction is open.
  /// - Complexity: O(1).
  @discardableResult
  public func add<Value: Sendable>(
    _ name: String = "operation",
    priority: OperationPriority = .normal,
    _ body: consuming @escaping @Sendable (Operation) throws -> Value,
    completion: consuming ((Outcome<Value>) -> Void)? = nil
  ) -> Operation {
    checkOpen("AsyncTransaction.add")
    let item = ScheduledItem(name, core, on: scheduler.core, priority, body, completion)
    append(item)
    return Operation(item: item)
  }

  /// Takes `item` into the transaction, and starts it unless that waits.
  func append(_ item: OperationItem) {
    core.change { $0.add() }
    items.append(item)
    if start == .whenAdded { item.start() }
  }

  /// Hands over: nothing can be added any more, and completions come once every
  /// operation has ended. Those of an empty transaction, too.
  ///
  /// Call on the loop. No completion is called inside.
  ///
  /// - Precondition: It is open.
  /// - Complexity: O(1); of one that starts its operations now, O(n).
  public func commit() {
    checkOpen("AsyncTransaction.commit")
    unfinished.retain(self)
    let action = core.change { $0.commit() }
    if start == .onCommit { items.forEach { $0.start() } }
    core.perform(action)
  }

  /// Cancels what has not completed: operations that wait do not run, those that run
  /// are told by `isCancelled`; every outcome is `.cancelled`, also of what has
  /// ended already.
  ///
  /// Call on the loop. Does nothing to one that is complete, or whose completions
  /// are being called.
  ///
  /// - Precondition: It is committed: who opened it may still add.
  /// - Complexity: O(n) in its operations.
  public func cancel() {
    check("AsyncTransaction.cancel")
    require(state != .open, "AsyncTransaction.cancel: \(name) is open; commit() it first")
    guard core.change({ $0.cancel() }) else { return }
    items.forEach { $0.cancel() }
  }

  /// Cancels it, also where it is open; an empty one completes at once.
  func cancelEvenIfOpen() {
    if state == .open, items.isEmpty {
      _ = core.change { $0.commit() }
      _ = core.change { $0.cancel() }
      return completeIfEnded()
    }
    if state == .open { commit() }
    cancel()
  }

  func check(_ operation: StaticString) {
    core.loop.checkThread(operation)
    if core.loop.isForked { trap("\(operation): \(name) belongs to the parent process") }
  }

  func checkOpen(_ operation: StaticString) {
    check(operation)
    require(state == .open, "\(operation): \(name) must be open, it is \(state)")
  }
}

// Completing.
extension AsyncTransaction {
  /// Calls every completion, if all operations have ended and nobody did so.
  func completeIfEnded() {
    if core.change({ $0.beginCompleting() }) { callCompletions() }
  }

  /// Calls the completions that were not called yet, then the endings.
  func callCompletions() {
    let isCancelled = isCancelled
    // Each is released as soon as it was told.
    while let item = items.removeFirst() { item.complete(isCancelled: isCancelled) }
    // Not if one of them closed the loop, which called the rest.
    guard core.change({ $0.complete() }) else { return }
    let endings = endings
    self.endings = []
    // First: an ending may close the loop. Whoever calls this holds the transaction.
    unfinished.remove(self)
    for ending in endings { ending(self) }
  }
}
