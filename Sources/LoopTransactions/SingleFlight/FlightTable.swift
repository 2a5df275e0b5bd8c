/// The flights that are queued or running, by key.
///
/// Each decision is made under one lock, before its effect. A waiter joins its
/// flight before the operation is added to the scheduler, and the body runs only
/// if the flight has a waiter when it begins. A waiter that has left therefore
/// keeps no flight alive, on whichever thread it left. O10.
final class FlightTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  typealias Body = @Sendable (ScheduledOperation) throws -> Value
  typealias Waiter = FlightWaiter<Key, Value>

  /// The effect of a transition on the scheduler, performed without the lock.
  private enum Action {
    case none
    case add(Flight<Key, Value>)
    case move(Flight<Key, Value>)
    case cancel(Flight<Key, Value>, OperationHandle)
  }

  let scheduler: OperationScheduler
  private let flights = Locked<[Key: Flight<Key, Value>]>([:])

  init(_ scheduler: OperationScheduler) { self.scheduler = scheduler }

  /// The number of keys with a flight.
  var count: Int { flights.withLock { $0.count } }

  /// The number of keys for which the table has memory.
  var capacity: Int { flights.withLock { $0.capacity } }

  /// The number of waiters for `key`.
  func waiters(of key: Key) -> Int { flights.withLock { $0[key]?.levels.count ?? 0 } }

  /// Adds `waiter` to the flight of `key`. If `key` has no flight, starts one
  /// that runs `body`. Returns false if the waiter left before.
  func join(_ key: Key, with waiter: Waiter, body: inout Body?) -> Bool {
    scheduler.core.checkProcess()
    let action = flights.withLock { flights -> Action? in
      guard case .initial = waiter.stage else { return nil }
      if let flight = flights[key] {
        flight.append(waiter)
        return flight.needsMove ? .move(flight) : Action.none
      }
      let flight = Flight(of: key, in: self, joinedBy: waiter, &body)
      flights[key] = flight
      return .add(flight)
    }
    guard let action else { return false }
    perform(action)
    return true
  }

  /// Removes `waiter` from its flight, and cancels the operation if it was the
  /// last one. A waiter that has not joined a flight never will.
  ///
  /// - Returns: Whether `waiter` was waiting, and whether the body had not
  ///   begun.
  func leave(_ waiter: Waiter) -> (wasWaiting: Bool, wasQueued: Bool) {
    let (flight, wasQueued, action) = flights.withLock { flights in
      let (flight, wasQueued) = waiter.leave()
      guard let flight else { return (flight, wasQueued, Action.none) }
      guard flight.levels.count == 0 else {
        return (flight, wasQueued, flight.needsMove ? .move(flight) : .none)
      }
      _ = flight.end()
      Self.remove(flight, from: &flights)
      // If the handle is not published yet, `add(_:)` cancels the operation.
      return (flight, wasQueued, flight.handle.map { .cancel(flight, $0) } ?? .none)
    }
    perform(action)
    return (flight != nil, wasQueued)
  }

  /// Sets the level of `waiter` to the result of `level`, which receives the
  /// present level. Returns false if the body has begun.
  func move(_ waiter: Waiter, _ level: (Int) -> Int) -> Bool {
    let (wasQueued, action) = flights.withLock { _ -> (Bool, Action) in
      guard let flight = waiter.setLevel(level) else { return (waiter.isInitial, .none) }
      return (flight.phase == .queued, flight.needsMove ? .move(flight) : .none)
    }
    perform(action)
    return wasQueued
  }

  /// Runs the operation of `waiter` on the calling thread if it has not begun.
  func runIfQueued(_ waiter: Waiter) {
    let handle = flights.withLock { _ in waiter.flight?.handle }
    if let handle { _ = scheduler.core.runIfQueued(handle) }
  }

  /// Records that the operation of `flight` begins. Returns false if it has no
  /// waiters, so that its body must not run.
  func begin(_ flight: Flight<Key, Value>) -> Bool {
    flights.withLock { _ in flight.begin() }
  }

  /// Removes `flight` and returns the first of its waiters.
  func end(_ flight: Flight<Key, Value>) -> Waiter? {
    flights.withLock { flights in
      guard flight.phase != .ended else { return nil }
      Self.remove(flight, from: &flights)
      return flight.end()
    }
  }

  private static func remove(
    _ flight: Flight<Key, Value>,
    from flights: inout [Key: Flight<Key, Value>]
  ) {
    guard flights[flight.key] === flight else { return }
    flights[flight.key] = nil
    // The memory of many keys is not kept. Not measured.
    if flights.isEmpty, flights.capacity > 4096 { flights = [:] }
  }

  /// Calls `body` with the lock held.
  func withLock<Result>(_ body: () -> Result) -> Result {
    flights.withLock { _ in body() }
  }

  private func perform(_ action: Action) {
    switch action {
    case .none: break
    case .add(let flight): add(flight)
    case .move(let flight): move(flight)
    case .cancel(let flight, let handle): flight.cancel(handle)
    }
  }

  private func add(_ flight: Flight<Key, Value>) {
    flight.prepare()
    guard let handle = scheduler.core.add(.owner(flight), level: flight.level) else {
      trap("SingleFlight: the scheduler is closed")
    }
    // Other waiters may have joined or left before the handle was published.
    let action = flights.withLock { _ -> Action in
      flight.handle = handle
      if flight.phase == .ended { return .cancel(flight, handle) }
      return flight.needsMove ? .move(flight) : .none
    }
    perform(action)
  }

  /// Moves the operation to the highest level of its waiters.
  private func move(_ flight: Flight<Key, Value>) {
    var last: Int?
    // Again, because another thread may have changed the level and moved the
    // operation before this thread did.
    while let (handle, level) = flights.withLock({ _ in flight.beginMove(after: last) }),
      scheduler.core.move(handle, to: level)
    {
      last = level
    }
  }
}
