/// Runs one operation per key at a time, and shares its result with its
/// waiters: all callers that ask for the key before the operation ends.
///
/// Use it from any thread. The shared operation occupies one worker. It has the
/// highest priority of its waiters, and is cancelled when its last waiter
/// cancels. A caller that asks for the key after that starts a new operation,
/// even if the cancelled operation still runs. Results are not cached.
///
/// ```swift
/// let pictures = SingleFlight<Path, Picture>()
/// transaction.add(pictures, for: path) { _ in
///   try decode(path)
/// } completion: { outcome in
///   show(outcome)
/// }
/// ```
///
/// See also: the name comes from Go's `singleflight` package.
public final class SingleFlight<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  let table: FlightTable<Key, Value>

  /// Creates an empty table that runs its operations on `scheduler`.
  ///
  /// Call from any thread.
  public init(on scheduler: OperationScheduler = .shared) { table = FlightTable(scheduler) }

  /// The number of keys whose operation is queued or running.
  ///
  /// Call from any thread.
  public var count: Int { table.count }

  /// The number of waiters for `key`.
  package func waiters(of key: Key) -> Int { table.waiters(of: key) }

  /// Returns the result of `body`, or of the operation that is already queued
  /// or running for `key`.
  ///
  /// Call from any task. Works as `OperationScheduler.run`, except that
  /// cancelling the task withdraws its request. `body` has the task-local values
  /// of the first caller, and is cancelled when the last one has withdrawn.
  ///
  /// - Parameter priority: Defaults to the priority of the task.
  /// - Throws: The error of the body that ran, or a `CancellationError` if this
  ///   task is cancelled.
  public nonisolated(nonsending) func value(
    for key: Key,
    priority: OperationPriority? = nil,
    _ body: consuming @escaping @Sendable (ScheduledOperation) throws -> Value
  ) async throws -> Value {
    guard table.scheduler.core.stepped != nil else {
      return try await sharedValue(for: key, priority, body)
    }
    let body = body
    return try await InlineExecutor.awaiting { [self] in
      try await sharedValue(for: key, priority, body)
    }
  }

  private func sharedValue(
    for key: Key,
    _ priority: OperationPriority?,
    _ body: consuming @escaping @Sendable (ScheduledOperation) throws -> Value
  ) async throws -> Value {
    var body: FlightTable<Key, Value>.Body? = body
    let waiter = TaskWaiter(table)
    return try await withPriorityEscalation {
      // Read here, so that no escalation is missed.
      waiter.escalate(to: priority ?? OperationPriority(Task.currentPriority))
      return try await withTaskCancellationHandler {
        try await withUnsafeThrowingContinuation { continuation in
          waiter.join(key, body: &body, resuming: continuation)
          // Released now, because the flight either runs another waiter's
          // body or has taken this one.
          body = nil
        }
      } onCancel: {
        waiter.cancel()
      }
    } onEscalation: {
      waiter.escalate(to: OperationPriority($0))
    }
  }
}

extension AsyncTransaction {
  /// Adds an operation that shares its result with other operations for the
  /// same `key`.
  ///
  /// Call on the loop. Works like `add(_:priority:_:completion:)`, but `body`
  /// runs only if `flights` has no operation for `key`. Otherwise `body` is
  /// released before this returns.
  ///
  /// A cancelled operation completes without waiting for the shared body, which
  /// may have been added by another waiter. Closing the loop does not wait for
  /// the shared body either.
  ///
  /// - Precondition: The transaction is open.
  /// - Complexity: O(1).
  @discardableResult
  public func add<Key, Value>(
    _ flights: SingleFlight<Key, Value>,
    for key: Key,
    name: String = "operation",
    priority: OperationPriority = .normal,
    _ body: consuming @escaping @Sendable (ScheduledOperation) throws -> Value,
    completion: consuming ((Outcome<Value>) -> Void)? = nil
  ) -> Operation {
    let item = FlightItem(
      name,
      of: core,
      joining: flights.table,
      key: key,
      level: OperationBacklog.level(priority),
      body: body,
      completion: completion
    )
    append(item)
    return Operation(item: item)
  }
}
