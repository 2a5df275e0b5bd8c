/// The base class for objects that wait for the result of a flight.
class FlightWaiter<Value: Sendable>: @unchecked Sendable {
  // @unchecked: `level` is protected by the table's lock. Each derived class
  // documents how its own state is protected.

  /// The level at which this waiter wants the operation to run.
  final var level: Int

  init(level: Int) { self.level = level }

  /// Called once on a worker when the flight has ended, unless the waiter left
  /// the flight before.
  func flightEnded(_ outcome: AsyncTransaction.Outcome<Value>) {}

  /// Whether `transaction` waits for this waiter. Call from any thread.
  func isAwaited(by transaction: AnyObject) -> Bool { false }

  /// The name used in error messages.
  var title: String { "single flight" }
}

/// A shared operation that is queued or running, as its waiters see it.
class Flight<Value: Sendable>: OperationOwner, @unchecked Sendable {
  // @unchecked: `waiters`, `handle` and `isFinished` are protected by the
  // table's lock. `outcome` is written by the thread that runs the operation
  // and read after it ended.

  final let scheduler: OperationScheduler
  final var waiters: [FlightWaiter<Value>] = []
  final var handle: OperationHandle?
  final var isFinished = false
  final var outcome: AsyncTransaction.Outcome<Value> = .cancelled

  init(_ scheduler: OperationScheduler) { self.scheduler = scheduler }

  /// Removes `waiter`.
  ///
  /// - Returns: Whether `waiter` was still waiting, and whether the operation had
  ///   not begun.
  func leave(_ waiter: FlightWaiter<Value>) -> (wasWaiting: Bool, wasQueued: Bool) {
    (false, false)
  }

  /// Sets the level of `waiter` and moves the operation to the highest level of
  /// its waiters. Returns false if the operation has begun.
  func move(_ waiter: FlightWaiter<Value>, to level: Int) -> Bool { false }

  /// Runs the operation on the calling thread if it has not begun.
  func runIfQueued() {}
}

/// The flights that are queued or running, by key.
final class FlightTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  typealias Body = @Sendable (ScheduledOperation) throws -> Value

  let scheduler: OperationScheduler
  private let flights = Locked<[Key: KeyedFlight<Key, Value>]>([:])

  init(_ scheduler: OperationScheduler) { self.scheduler = scheduler }

  /// The number of keys with a flight.
  var count: Int { flights.withLock { $0.count } }

  /// The number of waiters for `key`.
  func waiters(of key: Key) -> Int { flights.withLock { $0[key]?.waiters.count ?? 0 } }

  /// Adds `waiter` to the flight of `key`. If `key` has no flight, starts one
  /// that runs `body`.
  func join(
    _ key: Key,
    _ waiter: FlightWaiter<Value>,
    _ body: inout Body?
  ) -> Flight<Value> {
    scheduler.core.checkProcess()
    let (flight, isNew, level) = flights.withLock { flights in
      if let flight = flights[key] {
        flight.waiters.append(waiter)
        return (flight, false, flight.highestLevel)
      }
      let flight = KeyedFlight(key, self, scheduler)
      flight.waiters.append(waiter)
      flights[key] = flight
      return (flight, true, waiter.level)
    }
    if isNew { flight.start(&body, level) } else { _ = flight.updatePriority() }
    return flight
  }

  /// Removes `flight` from the table if `condition` holds. Returns its waiters,
  /// or nil if it was not removed.
  func end(
    _ flight: KeyedFlight<Key, Value>,
    if condition: (KeyedFlight<Key, Value>) -> Bool = { _ in true }
  ) -> [FlightWaiter<Value>]? {
    flights.withLock { flights in
      guard condition(flight), !flight.isFinished else { return nil }
      flight.isFinished = true
      if flights[flight.key] === flight { flights[flight.key] = nil }
      defer { flight.waiters = [] }
      return flight.waiters
    }
  }

  /// Calls `body` with the lock held.
  func withLock<Result>(_ body: () -> Result) -> Result { flights.withLock { _ in body() } }
}

/// A flight with its key.
final class KeyedFlight<Key: Hashable & Sendable, Value: Sendable>: Flight<Value>,
  @unchecked Sendable
{
  // @unchecked: `body` is written before a worker can see the operation, and
  // consumed by the thread that runs or cancels it. The other properties are
  // constant.

  let key: Key
  private let table: FlightTable<Key, Value>
  private var body: FlightTable<Key, Value>.Body?

  init(_ key: Key, _ table: FlightTable<Key, Value>, _ scheduler: OperationScheduler) {
    self.key = key
    self.table = table
    super.init(scheduler)
  }

  /// The highest level of the waiters. Call with the lock held.
  var highestLevel: Int { waiters.reduce(0) { max($0, $1.level) } }

  func start(_ body: inout FlightTable<Key, Value>.Body?, _ level: Int) {
    self.body = body
    body = nil
    guard let added = scheduler.core.add(.owner(self), level: level) else {
      trap("SingleFlight: the scheduler is closed")
    }
    // Other waiters may have joined or left before the handle was published.
    // Apply their changes now.
    let hasNoWaiters = table.withLock {
      handle = added
      return isFinished
    }
    if hasNoWaiters { _ = scheduler.core.cancel(added) } else { _ = updatePriority() }
  }

  /// Moves the operation to the highest level of its waiters. Returns false if
  /// the operation has begun.
  func updatePriority() -> Bool {
    guard let handle = table.withLock({ handle }) else { return true }
    var level = table.withLock { highestLevel }
    while true {
      let waits = scheduler.core.move(handle, to: level)
      // Another thread may have changed the level and moved the operation
      // before this thread did.
      let now = table.withLock { highestLevel }
      if now == level || !waits { return waits }
      level = now
    }
  }

  override func leave(_ waiter: FlightWaiter<Value>) -> (wasWaiting: Bool, wasQueued: Bool) {
    var wasWaiting = false
    let ended = table.end(self) { flight in
      guard let index = flight.waiters.firstIndex(where: { $0 === waiter }) else {
        return false
      }
      flight.waiters.remove(at: index)
      wasWaiting = true
      return flight.waiters.isEmpty
    }
    guard wasWaiting else { return (false, false) }
    // Other waiters remain, so the operation is not cancelled.
    if ended == nil { return (true, updatePriority()) }
    // If the handle is not published yet, `start` cancels the operation.
    guard let handle = table.withLock({ handle }) else { return (true, true) }
    return (true, scheduler.core.cancel(handle))
  }

  override func move(_ waiter: FlightWaiter<Value>, to level: Int) -> Bool {
    table.withLock { waiter.level = level }
    return updatePriority()
  }

  override func runIfQueued() {
    if let handle = table.withLock({ handle }) { _ = scheduler.core.runIfQueued(handle) }
  }

  override var title: String { table.withLock { waiters.first }?.title ?? super.title }

  override func isAwaited(by transaction: AnyObject) -> Bool {
    table.withLock { waiters }.contains { $0.isAwaited(by: transaction) }
  }

  override func run(_ operation: ScheduledOperation) {
    guard let body else { return }
    self.body = nil
    outcome = ValueItem<Value>.outcome { try body(operation) }
  }

  override func operationEnded(_ end: OperationEnd) {
    // `body` is still set if it did not run.
    body = nil
    guard let waiters = table.end(self) else { return }
    for waiter in waiters { waiter.flightEnded(outcome) }
  }
}
