/// Operations that workers run, and whose completions are called together on a
/// loop; not a `Transaction`, which is one action of the loop.
///
/// Operations start when they are added. After `commit()`, and once the last
/// operation has ended, the loop calls all completions in the order they were
/// added. Each completion is called once, with its outcome. The closures passed
/// to `whenComplete(_:)` come last. Parts that become ready at different times
/// thus appear together. Completions of many transactions wake a sleeping loop
/// once.
///
/// The loop's `run()` continues while a committed transaction is not complete.
/// Closing the loop cancels the transaction, waits for its running operations,
/// and calls every completion.
///
/// ```swift
/// let transaction = AsyncTransaction(on: loop)
/// transaction.add { _ in
///   decode(file)
/// } completion: { outcome in
///   if case .value(let picture) = outcome { view.show(picture) }
/// }
/// transaction.commit()
/// ```
///
/// See also: in Dispatch, `DispatchGroup.notify` runs one closure after several
/// blocks have ended. Modelled on Texture's `_ASAsyncTransaction`.
public final class AsyncTransaction {
  /// The state of a transaction.
  public enum State: Hashable, Sendable {
    /// Operations can be added.
    case open
    /// The transaction was committed, and some operations have not ended.
    case committed
    /// The transaction was cancelled, and some operations have not ended.
    case cancelled
    /// All completions have been called.
    case complete
  }

  /// When operations start.
  public enum Start: Hashable, Sendable {
    /// Operations start when they are added.
    case whenAdded
    /// Operations start when the transaction is committed.
    case onCommit
  }

  /// The name used for debugging and in error messages.
  public let name: String

  @usableFromInline let core: AsyncTransactionCore
  @usableFromInline let scheduler: OperationScheduler
  private let start: Start
  let place: SourcePlace
  let unfinished: UnfinishedTransactions

  // All of these are loop only. Their exclusivity is unchecked, because no
  // other code runs while one of them changes.
  @exclusivity(unchecked) private(set) var items = OperationItems()
  /// The progress of all asynchronous bodies, until the transaction is
  /// cancelled.
  @exclusivity(unchecked) private(set) var asyncBodies: [Locked<AsyncBodyProgress>] = []
  /// The closures of `whenComplete(_:)`.
  @exclusivity(unchecked) var endings: [(AsyncTransaction) -> Void] = []
  /// The tasks that wait for `completion`.
  @exclusivity(unchecked) var awaiters: [UnsafeContinuation<Void, Never>] = []
  /// The transaction's links in the list of unfinished transactions.
  @exclusivity(unchecked) var links = UnfinishedTransactions.Links()
  /// Whether a group commits the transaction at the end of the tick.
  @exclusivity(unchecked) var isInGroup = false

  /// Creates an open transaction.
  ///
  /// Call on the loop. Commit the transaction before you release it. Releasing
  /// an open transaction is reported on standard error, unless it is empty. Its
  /// completions are never called.
  ///
  /// - Parameters:
  ///   - loop: The loop on which completions are called.
  ///   - name: The name used for debugging and in error messages.
  ///   - scheduler: The scheduler that runs the operations.
  ///   - start: When operations start.
  ///   - fileID: With `line`, the source location for error messages.
  ///   - line: See `fileID`.
  public init(
    on loop: EventLoop,
    name: String = "transaction",
    scheduler: OperationScheduler = .shared,
    start: Start = .whenAdded,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    loop.checkUsable("AsyncTransaction.init")
    place = SourcePlace(fileID, line)
    self.name = name
    self.scheduler = scheduler
    self.start = start
    unfinished = loop.part(UnfinishedTransactions.self)
    core = AsyncTransactionCore(loop: loop.core)
    core.transaction = self
    unfinished.open(self)
  }

  // Runs on the loop, because the class is not Sendable and the loop retains
  // committed transactions.
  deinit {
    core.transaction = nil
    if links.isLinked { unfinished.remove(self) }
    if state == .open { items.forEach { $0.dropBody() } }
    // Removed one by one, because releasing a chain of items would recurse.
    defer { while let item = items.removeFirst() { item.dropCompletion() } }
    guard !items.isEmpty, state == .open, !core.loop.isForked, !unfinished.isAbandoned else {
      return
    }
    // Not a trap, which would hide the error that is thrown past the transaction.
    System.logToStandardError(
      """
      AsyncTransaction \(name), created at \(place.description): released while open; call \
      commit() first, even to cancel it
      """
    )
  }

  /// The state of the transaction.
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

  /// Whether the transaction was cancelled before its completions were called.
  ///
  /// Call on the loop. Operations poll `Operation.isCancelled`.
  public var isCancelled: Bool { core.state.isCancelled }

  /// Calls `body` on the loop after the completions of all operations.
  ///
  /// Call on the loop, before the transaction is complete. Closures are called
  /// in the order they were added, and then released on the loop.
  ///
  /// - Precondition: The transaction is not complete.
  public func whenComplete(_ body: @escaping (AsyncTransaction) -> Void) {
    check("AsyncTransaction.whenComplete")
    require(
      state != .complete,
      "AsyncTransaction.whenComplete: must be called before \(name) is complete"
    )
    endings.append(body)
  }
}

// Adding, committing and cancelling.
extension AsyncTransaction {
  /// Adds an operation: `body` runs on a worker, `completion` on the loop.
  ///
  /// Call on the loop. The captures of `body` are released before a completion
  /// may run: on the worker, on the loop if `waitUntilComplete` ran the
  /// operation there, or on the thread that cancelled the operation.
  /// `completion` is released on the loop after it was called.
  ///
  /// Neither runs in a task of this call, so they need not see its task-local
  /// values, and `Task.isCancelled` does not report that the operation was
  /// cancelled. Bind the values in `body`, or pass an asynchronous body, which has
  /// both:
  ///
  /// ```swift
  /// let span = Span.current
  /// transaction.add { _ in Span.$current.withValue(span) { decode(file) } }
  /// ```
  ///
  /// - Parameters:
  ///   - name: The name used in error messages.
  ///   - priority: The priority at which the operation competes for a worker.
  ///   - body: Runs on a worker. Its argument lets it poll for cancellation. If
  ///     it throws, the outcome is `.failed`, or `.cancelled` for a
  ///     `CancellationError`.
  ///   - completion: Called once, with the outcome.
  /// - Precondition: The transaction is open.
  /// - Complexity: O(1).
  @inlinable
  @discardableResult
  public func add<Value: Sendable>(
    _ name: String = "operation",
    priority: OperationPriority = .normal,
    _ body: consuming @escaping @Sendable (Operation) throws -> Value,
    completion: consuming ((Outcome<Value>) -> Void)? = nil
  ) -> Operation {
    // Inlined, because the runtime would look up the types of the item and of its
    // outcome, which takes about 310 instructions each.
    let item = SyncItem(
      name,
      of: core,
      on: scheduler.core,
      priority,
      body,
      completion: completion
    ) { $0.deliver(to: &$1, isCancelled: $2) }
    append(item)
    return Operation(item: item)
  }

  /// Adds an operation whose `body` is asynchronous.
  ///
  /// Call on the loop. Works like the synchronous `add`: the operation is
  /// queued by `priority`, and competes for a worker. Once a worker has taken
  /// it, `body` runs in a task called `name` that prefers the scheduler. The
  /// worker runs it until it suspends, and is then free for other operations.
  /// Each continuation is queued again, at the priority of the operation, as
  /// `OperationPriority.init(_:)` maps it. The task has the task-local values of
  /// the place that calls this.
  ///
  /// Cancelling an operation that has begun ends it immediately, with the
  /// outcome `.cancelled`: no completion waits for a body that is suspended. In
  /// the body, `isCancelled` and `Task.isCancelled` become true. It may run on
  /// for a while, also after the loop is closed, and its value is dropped. In
  /// all other cases its captures are released before a completion may run.
  ///
  /// `waitUntilComplete` traps if such an operation was not cancelled. Use
  /// `completion`.
  ///
  /// - Precondition: The transaction is open.
  /// - Complexity: O(1).
  @discardableResult
  public func add<Value: Sendable>(
    _ name: String = "operation",
    priority: OperationPriority = .normal,
    _ body: consuming @escaping @Sendable (Operation) async throws -> Value,
    completion: consuming ((Outcome<Value>) -> Void)? = nil
  ) -> Operation {
    checkOpen("AsyncTransaction.add")
    let item = AsyncItem(name, of: self, priority, body, completion: completion)
    append(item)
    asyncBodies.append(item.progress)
    return Operation(item: item)
  }

  /// Appends `item`, and starts it unless operations start on commit.
  @usableFromInline
  func append(_ item: OperationItem) {
    checkOpen("AsyncTransaction.add")
    core.change { $0.add() }
    items.append(item)
    if start == .whenAdded { item.start() }
  }

  /// Commits the transaction: no operation can be added afterwards.
  ///
  /// Call on the loop. Completions are called when all operations have ended,
  /// but not inside this call. An empty transaction completes too.
  ///
  /// - Precondition: The transaction is open.
  /// - Complexity: O(1), or O(n) if operations start on commit.
  public func commit() {
    checkOpen("AsyncTransaction.commit")
    unfinished.retain(self)
    let action = core.change { $0.commit() }
    if start == .onCommit { items.forEach { $0.start() } }
    core.perform(action)
  }

  /// Cancels the transaction.
  ///
  /// Call on the loop. Queued operations do not run. Running operations can
  /// poll `isCancelled`. Every outcome is `.cancelled`, even for operations
  /// that have already ended. Does nothing if the completions are being called
  /// or were called.
  ///
  /// - Precondition: The transaction was committed.
  /// - Complexity: O(n) in its operations.
  public func cancel() {
    check("AsyncTransaction.cancel")
    require(
      state != .open,
      "AsyncTransaction.cancel: \(name) must be committed before it is cancelled"
    )
    // Even if the transaction is complete, so that a wait after a cancel does not
    // depend on time.
    asyncBodies = []
    guard core.change({ $0.cancel() }) else { return }
    items.forEach { $0.cancel() }
  }

  func check(_ operation: StaticString) {
    // The common case by itself, because it counts no references. Reads the
    // thread first, because the compiler retains an object across a call of C.
    let thread = threadIdentity()
    if _fastPath(thread == core.loop.thread && !core.loop.isForked) { return }
    checkSlowly(operation)
  }

  @inline(never)
  private func checkSlowly(_ operation: StaticString) {
    core.loop.checkThread(operation)
    if core.loop.isForked { trap("\(operation): \(name) belongs to the parent process") }
  }

  func checkOpen(_ operation: StaticString) {
    check(operation)
    require(core.state.phase == .open, "\(operation): \(name) must be open, but is \(state)")
  }
}

// Completing.
extension AsyncTransaction {
  /// Calls all completions if all operations have ended and the completions
  /// have not been called yet.
  func completeIfEnded() {
    guard core.change({ $0.beginCompleting() }) else { return }
    guard _slowPath(core.loop.needsSlowTick), let loop = core.loop.loopOnThread else {
      return callCompletions()
    }
    loop.recorded(OwnerWord(.completion, WorkName(name))) {
      if loop.isTraced { items.forEach { loop.endArrow(of: $0) } }
      callCompletions()
    }
  }

  /// Calls the remaining completions, then the closures of `whenComplete(_:)`.
  func callCompletions() {
    let isCancelled = isCancelled
    // Each item is released before the next completion is called.
    while let item = items.removeFirst() {
      item.complete(isCancelled: isCancelled || item.isCancelled)
    }
    // Returns false if a completion closed the loop, because closing the loop
    // called the remaining completions.
    guard core.change({ $0.complete() }) else { return }
    // Removed before the closures are called, because a closure may close the
    // loop. The caller retains the transaction.
    unfinished.remove(self)
    if !endings.isEmpty { callEndings() }
    if !awaiters.isEmpty { resumeAwaiters() }
  }
}
