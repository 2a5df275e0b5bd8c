/// Lets equal work run once: who asks for a key whose operation is under way shares
/// its result.
///
/// One operation per key waits or runs, however many ask, so that it takes up one
/// worker. It has the priority of the most urgent of them, and is cancelled when the
/// last has cancelled; who asks while such a one still runs starts another. Nothing is
/// kept once it has ended. Use it from any thread.
///
/// ```swift
/// let pictures = SingleFlight<Path, Picture>()
/// transaction.add(pictures, for: path) { _ in try decode(path) } completion: { outcome in
///   show(outcome)
/// }
/// ```
///
/// After Texture's users, who saw one picture decoded on two threads at once; the name
/// is Go's.
public final class SingleFlight<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  let table: FlightTable<Key, Value>

  /// Nothing under way, on `scheduler`.
  ///
  /// Call from any thread.
  public init(on scheduler: OperationScheduler = .shared) { table = FlightTable(scheduler) }

  /// How many keys are under way.
  ///
  /// Call from any thread.
  public var count: Int { table.count }

  /// How many wait for `key`.
  package func waiters(of key: Key) -> Int { table.waiters(of: key) }

  /// What `body`, or that of whoever asked before, makes for `key`.
  ///
  /// Call from any task, whose cancelling takes back what it asked for.
  ///
  /// - Parameter priority: By default that of the task.
  /// - Throws: What the body throws that ran; a `CancellationError` if this task is
  ///   cancelled.
  public func value(
    for key: Key,
    priority: OperationPriority? = nil,
    _ body: consuming @escaping @Sendable (ScheduledOperation) throws -> Value
  ) async throws -> Value {
    var body: FlightTable<Key, Value>.Body? = body
    let level = OperationBacklog.level(priority ?? OperationPriority(Task.currentPriority))
    let waiter = TaskWaiter<Value>(level: level)
    return try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { continuation in
        waiter.continuation = continuation
        waiter.flight = table.join(key, waiter, &body)
        // Another's runs, or it has it.
        body = nil
        table.scheduler.core.taskWillSuspend()
        if Task.isCancelled { waiter.cancel() }
      }
    } onCancel: {
      waiter.cancel()
    }
  }
}

extension AsyncTransaction {
  /// Adds an operation that shares the result of those with an equal `key`.
  ///
  /// Call on the loop. As `add`, but `body` runs only if no operation of `flights` is
  /// under way for `key`; otherwise it is dropped at once. One that is cancelled completes
  /// without waiting for a body that runs, which may be another's; neither does closing
  /// the loop wait for that.
  ///
  /// - Precondition: The transaction is open.
  /// - Complexity: O(n) in those that wait for the key.
  @discardableResult
  public func add<Key, Value>(
    _ flights: SingleFlight<Key, Value>,
    for key: Key,
    name: String = "operation",
    priority: OperationPriority = .normal,
    _ body: consuming @escaping @Sendable (ScheduledOperation) throws -> Value,
    completion: consuming ((Outcome<Value>) -> Void)? = nil
  ) -> Operation {
    checkOpen("AsyncTransaction.add")
    let level = OperationBacklog.level(priority)
    let item = FlightItem(name, core, level: level, body, completion) { [table = flights.table] in
      table.join(key, $0, &$1)
    }
    append(item)
    return Operation(item: item)
  }
}

extension FlightWaiter: Unreflected {}
extension FlightTable: Unreflected {}

extension SingleFlight: CustomReflectable {
  /// How many keys are under way.
  public var customMirror: Mirror {
    Mirror(self, showing: table.scheduler.core.isForked ? [] : [("count", count)])
  }
}
