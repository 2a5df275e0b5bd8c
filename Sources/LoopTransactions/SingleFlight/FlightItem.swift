/// An operation of a transaction whose result is shared through a
/// `SingleFlight`.
final class FlightItem<Key: Hashable & Sendable, Value: Sendable>: OperationItem,
  @unchecked Sendable
{
  // @unchecked: `body` and `completion` are accessed on the loop only. See
  // `ItemResult` for `result`. Other threads use `waiter`, which the table's lock
  // protects.

  private final class ItemWaiter: FlightWaiter<Key, Value>, @unchecked Sendable {
    // @unchecked: `item` is written before the waiter joins, and used once, by
    // the thread that ends the flight or the thread that leaves it. The other
    // properties are constant.

    // Retained from the start of the operation until it is used, because the
    // loop may be released before that.
    var item: FlightItem<Key, Value>?
    private let name: String
    private let core: AsyncTransactionCore

    init(
      _ name: String,
      of core: AsyncTransactionCore,
      joining table: FlightTable<Key, Value>,
      level: Int
    ) {
      self.name = name
      self.core = core
      super.init(table, level: level)
    }

    override func flightEnded(_ outcome: AsyncTransaction.Outcome<Value>) {
      if let item = item.take() {
        item.result.store(outcome)
        // From the code that runs the shared operation.
        TraceThread.recordArrow(.arrowBegin, .operation, to: item)
      }
      core.operationEnded()
    }

    /// Ends the operation, which left the flight before the flight ended.
    func leftFlight() {
      item = nil
      core.operationEnded()
    }

    override func isAwaited(by transaction: ObjectIdentifier) -> Bool { core.id == transaction }

    override var title: String { name }
  }

  private let key: Key
  private var body: FlightTable<Key, Value>.Body?
  private var result = ItemResult()
  private var completion: ((AsyncTransaction.Outcome<Value>) -> Void)?
  private let waiter: ItemWaiter

  /// Creates an operation of `core` that joins the flight of `key` in `table`.
  init(
    _ name: String,
    of core: AsyncTransactionCore,
    joining table: FlightTable<Key, Value>,
    key: Key,
    level: Int,
    body: consuming @escaping FlightTable<Key, Value>.Body,
    completion: consuming ((AsyncTransaction.Outcome<Value>) -> Void)?
  ) {
    self.key = key
    self.body = body
    waiter = ItemWaiter(name, of: core, joining: table, level: level)
    self.completion = completion
    super.init(name, of: core, on: table.scheduler.core, level: level)
  }

  deinit { result.clear(Value.self) }

  override func start() {
    waiter.item = self
    // Moved, because a copy might hold the last reference to the captures.
    var body = body
    self.body = nil
    guard !waiter.table.join(key, with: waiter, body: &body) else { return }
    // Cancelled before it began, so it never joins.
    CurrentOperation.with(self) { body = nil }
    waiter.leftFlight()
  }

  override func cancelQueued() -> Bool {
    let (wasWaiting, wasQueued) = waiter.table.leave(waiter)
    if wasWaiting { waiter.leftFlight() }
    return wasQueued
  }

  override func move(to level: Int) -> Bool { waiter.table.move(waiter) { _ in level } }

  override func runIfQueued() { waiter.table.runIfQueued(waiter) }

  override var isThreaded: Bool { false }

  override func complete(isCancelled: Bool) {
    result.deliver(to: &completion, isCancelled: isCancelled)
  }

  override func dropCompletion() { completion = nil }
}

/// A task that waits for a flight.
final class TaskWaiter<Key: Hashable & Sendable, Value: Sendable>: FlightWaiter<Key, Value>,
  @unchecked Sendable
{
  // @unchecked: `continuation` is written before the waiter joins. It is used
  // once, by the thread that ends the flight or the thread that leaves it.

  private var continuation: UnsafeContinuation<Value, any Error>?

  init(_ table: FlightTable<Key, Value>) { super.init(table, level: 0) }

  /// Joins the flight of `key`, which resumes `continuation`.
  func join(
    _ key: Key,
    body: inout FlightTable<Key, Value>.Body?,
    resuming continuation: UnsafeContinuation<Value, any Error>
  ) {
    self.continuation = continuation
    guard !table.join(key, with: self, body: &body) else { return }
    // Released before the task resumes.
    body = nil
    continuation.resume(throwing: CancellationError())
  }

  /// Moves the operation to `priority` if that is higher. Call from any thread.
  func escalate(to priority: OperationPriority) {
    _ = table.move(self) { max($0, OperationBacklog.level(priority)) }
  }

  /// Leaves the flight and resumes the task with a `CancellationError`. A task
  /// that has not joined yet never joins.
  func cancel() {
    guard table.leave(self).wasWaiting else { return }
    continuation?.resume(throwing: CancellationError())
  }

  override func flightEnded(_ outcome: AsyncTransaction.Outcome<Value>) {
    continuation?.resume(with: Result { try outcome.get() })
  }
}
