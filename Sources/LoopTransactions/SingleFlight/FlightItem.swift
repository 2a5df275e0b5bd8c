/// An operation of a transaction whose result is shared through a
/// `SingleFlight`.
final class FlightItem<Value: Sendable>: ValueItem<Value>, @unchecked Sendable {
  // @unchecked: `body` is accessed on the loop only. Other threads use
  // `joinState`, which has a lock.

  private final class ItemWaiter: FlightWaiter<Value>, @unchecked Sendable {
    // @unchecked: `item` is used once, by the thread that ends the flight or
    // the thread that leaves it. The other properties are constant.

    // Retained until it is used, because the loop may be released before that.
    private var item: FlightItem<Value>?
    private let name: String
    private let core: AsyncTransactionCore

    init(_ item: FlightItem<Value>, level: Int) {
      self.item = item
      name = item.name
      core = item.core
      super.init(level: level)
    }

    override func flightEnded(_ outcome: AsyncTransaction.Outcome<Value>) {
      if let item = item.take() {
        item.store(outcome)
        item.recordResult()
      }
      core.operationEnded()
    }

    /// Ends the operation, which left the flight before the flight ended.
    func leftFlight() {
      item = nil
      core.operationEnded()
    }

    override func isAwaited(by transaction: AnyObject) -> Bool { core === transaction }

    override var title: String { name }
  }

  typealias Body = @Sendable (ScheduledOperation) throws -> Value

  private struct JoinState {
    var waiter: ItemWaiter?
    var flight: Flight<Value>?
    var level: Int
  }

  private let joinFlight: (FlightWaiter<Value>, inout Body?) -> Flight<Value>
  private var body: Body?
  private let joinState: Locked<JoinState>

  /// Creates an operation of `core` that joins a flight by calling `join`.
  init(
    _ name: String,
    _ core: AsyncTransactionCore,
    level: Int,
    _ body: consuming @escaping Body,
    _ completion: consuming ((AsyncTransaction.Outcome<Value>) -> Void)?,
    _ join: @escaping (FlightWaiter<Value>, inout Body?) -> Flight<Value>
  ) {
    joinState = Locked(JoinState(level: level))
    joinFlight = join
    self.body = body
    super.init(name, core, completion)
  }

  override func start() {
    // Cancelled before it began, so it never joins.
    if isCancelled {
      CurrentOperation.with(self) { self.body = nil }
      return core.operationEnded()
    }
    let first = joinState.withLock { $0.level }
    let waiter = ItemWaiter(self, level: first)
    // Moved, because a copy might hold the last reference to the captures. O12.
    var body = body
    self.body = nil
    let flight = joinFlight(waiter, &body)
    let level = joinState.withLock { state in
      (state.waiter, state.flight) = (waiter, flight)
      return state.level
    }
    if isCancelled {
      cancel()
      return
    }
    if level != first { _ = flight.move(waiter, to: level) }
  }

  override func cancelQueued() -> Bool {
    // If the operation has not joined a flight, `start()` will see that it was
    // cancelled.
    guard let (waiter, flight) = joined() else { return true }
    let (wasWaiting, wasQueued) = flight.leave(waiter)
    if wasWaiting { waiter.leftFlight() }
    return wasQueued
  }

  override func move(to level: Int) -> Bool {
    joinState.withLock { $0.level = level }
    guard let (waiter, flight) = joined() else { return true }
    return flight.move(waiter, to: level)
  }

  override func runIfQueued() { joined()?.1.runIfQueued() }

  private func joined() -> (ItemWaiter, Flight<Value>)? {
    joinState.withLock { state in
      guard let waiter = state.waiter, let flight = state.flight else { return nil }
      return (waiter, flight)
    }
  }
}

/// A task that waits for a flight.
final class TaskWaiter<Value: Sendable>: FlightWaiter<Value>, @unchecked Sendable {
  // @unchecked: `continuation` is written before other threads can see this
  // object. It is used once, by the thread that ends the flight or the thread
  // that leaves it.

  var continuation: UnsafeContinuation<Value, any Error>?

  private struct JoinState {
    /// The flight the task waits for.
    var flight: Flight<Value>?
    var level = 0

    /// Raises the level. Returns the flight to move, if the level has changed.
    mutating func raise(to level: Int) -> Flight<Value>? {
      guard level > self.level else { return nil }
      self.level = level
      return flight
    }
  }

  private let joinState = Locked(JoinState())
  // The level at which the task joined. Used by the task only.
  private var first = 0

  /// Sets the level before the task joins a flight.
  func begin(at priority: OperationPriority) {
    first = joinState.withLock { state in
      _ = state.raise(to: OperationBacklog.level(priority))
      return state.level
    }
    level = first
  }

  /// Sets the flight that the task has joined.
  func join(_ flight: Flight<Value>) {
    let now = joinState.withLock { state in
      state.flight = flight
      return state.level
    }
    // Raised meanwhile.
    if now != first { _ = flight.move(self, to: now) }
  }

  /// Moves the operation to `priority` if that is higher. Call from any thread.
  func escalate(to priority: OperationPriority) {
    let level = OperationBacklog.level(priority)
    guard let flight = joinState.withLock({ $0.raise(to: level) }) else { return }
    _ = flight.move(self, to: level)
  }

  /// Leaves the flight and resumes the task with a `CancellationError`.
  func cancel() {
    let flight = joinState.withLock { $0.flight }
    guard let flight, flight.leave(self).wasWaiting else { return }
    continuation?.resume(throwing: CancellationError())
  }

  override func flightEnded(_ outcome: AsyncTransaction.Outcome<Value>) {
    continuation?.resume(with: Result { try outcome.get() })
  }
}
