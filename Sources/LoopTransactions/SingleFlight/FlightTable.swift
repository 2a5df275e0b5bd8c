/// Who waits for the result of a flight.
///
/// A class to be derived from: what lands is told by a call, on a worker.
class FlightWaiter<Value: Sendable>: @unchecked Sendable {
  // @unchecked: `level` is touched under the table's lock; derived classes say what
  // guards theirs.

  /// How urgent it is to this one.
  final var level: Int

  init(level: Int) { self.level = level }

  /// The flight ended. Once, unless it left before.
  func flightEnded(_ outcome: AsyncTransaction.Outcome<Value>) {}

  /// Whether `transaction` waits for this. Any thread.
  func isAwaited(by transaction: AnyObject) -> Bool { false }

  /// What a diagnosis calls it.
  var title: String { "single flight" }
}

/// An operation under way, as those that wait for it know it.
class Flight<Value: Sendable>: OperationOwner, @unchecked Sendable {
  // @unchecked: `waiters`, `handle` and `isFinished` are touched under the table's
  // lock; `outcome` by who runs it, and after it ended.

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

  /// Makes it as urgent as `waiter`, whose level changed, and all others want.
  func move(_ waiter: FlightWaiter<Value>, to level: Int) -> Bool { false }

  /// Runs it on the calling thread, if it waits.
  func runIfQueued() {}
}

/// The flights under way, by their keys.
final class FlightTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  typealias Body = @Sendable (ScheduledOperation) throws -> Value

  let scheduler: OperationScheduler
  private let flights = Locked<[Key: KeyedFlight<Key, Value>]>([:])

  init(_ scheduler: OperationScheduler) { self.scheduler = scheduler }

  /// How many are under way.
  var count: Int { flights.withLock { $0.count } }

  /// How many wait for `key`.
  func waiters(of key: Key) -> Int { flights.withLock { $0[key]?.waiters.count ?? 0 } }

  /// Lets `waiter` wait for `key`, by a flight under way or a new one, that takes
  /// `body`.
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

  /// Takes `flight` off if `condition` holds; those that wait for it, then.
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

  /// Calls `body` under the lock.
  func withLock<Result>(_ body: () -> Result) -> Result { flights.withLock { _ in body() } }
}

/// A flight that knows its key.
final class KeyedFlight<Key: Hashable & Sendable, Value: Sendable>: Flight<Value>,
  @unchecked Sendable
{
  // @unchecked: `body` is written before a worker may know of the operation, and
  // taken by who runs or cancels it; the rest are constants.

  let key: Key
  private let table: FlightTable<Key, Value>
  private var body: FlightTable<Key, Value>.Body?

  init(_ key: Key, _ table: FlightTable<Key, Value>, _ scheduler: OperationScheduler) {
    self.key = key
    self.table = table
    super.init(scheduler)
  }

  /// The most urgent level of those that wait. Under the lock.
  var highestLevel: Int { waiters.reduce(0) { max($0, $1.level) } }

  func start(_ body: inout FlightTable<Key, Value>.Body?, _ level: Int) {
    self.body = body
    body = nil
    guard let added = scheduler.core.add(.owner(self), level: level) else {
      trap("SingleFlight: the scheduler is closed")
    }
    // Others may have joined or left since: what they wanted could not be done yet.
    let hasNoWaiters = table.withLock {
      handle = added
      return isFinished
    }
    if hasNoWaiters { _ = scheduler.core.cancel(added) } else { _ = updatePriority() }
  }

  /// Puts it where the most urgent of those that wait for it wants it, if it waits;
  /// whether it does.
  func updatePriority() -> Bool {
    guard let handle = table.withLock({ handle }) else { return true }
    var level = table.withLock { highestLevel }
    while true {
      let waits = scheduler.core.move(handle, to: level)
      // Another may have changed it meanwhile, and moved it before this did.
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
    // Others still wait.
    if ended == nil { return (true, updatePriority()) }
    // Without a handle `start` cancels the operation.
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
    // One that did not run still holds it.
    body = nil
    guard let waiters = table.end(self) else { return }
    for waiter in waiters { waiter.flightEnded(outcome) }
  }
}
