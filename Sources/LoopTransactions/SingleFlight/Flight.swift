/// A shared operation that is queued or running.
final class Flight<Key: Hashable & Sendable, Value: Sendable>: OperationOwner, @unchecked Sendable {
  // @unchecked: `body` is written before a worker can see the operation, and
  // consumed by the thread that runs or cancels it. `outcome` is written by the
  // thread that runs the operation and read after it ended. The table's lock
  // protects the other variables.

  typealias Waiter = FlightWaiter<Key, Value>

  enum Phase {
    /// The body has not begun.
    case queued
    case running
    /// The operation has ended, or its last waiter has left.
    case ended
  }

  let key: Key
  private(set) var phase = Phase.queued
  /// The levels of the waiters.
  private(set) var levels = FlightLevels()
  /// The level at which the operation is added, or to which it was last moved.
  private(set) var level = 0
  /// Nil until the operation was added to the scheduler.
  var handle: OperationHandle?
  private let table: FlightTable<Key, Value>
  private var body: FlightTable<Key, Value>.Body?
  private var outcome: AsyncTransaction.Outcome<Value> = .cancelled
  // Both are written before they are used: the task before the operation is
  // added, and the operation before the task begins.
  private var task: BodyTask?
  private var operation: ScheduledOperation?
  // The waiters, in the order in which they joined.
  private var first: Waiter?
  private unowned(unsafe) var last: Waiter?

  /// Creates the flight that `first` joins.
  init(
    of key: Key,
    in table: FlightTable<Key, Value>,
    joinedBy first: Waiter,
    _ body: inout FlightTable<Key, Value>.Body?
  ) {
    self.key = key
    self.table = table
    self.body = body.take()
    level = first.level
    append(first)
  }

  var title: String { table.withLock { first }?.title ?? "operation" }

  func isAwaited(by transaction: ObjectIdentifier) -> Bool {
    table.withLock {
      var each = first
      while let waiter = each, !waiter.isAwaited(by: transaction) { each = waiter.next }
      return each != nil
    }
  }

  /// Makes the task that runs the body, with the task-local values of the caller.
  /// Call before the operation is added to the scheduler.
  func prepare() {
    task = BodyTask(currentTaskName, on: table.scheduler, level: level) { [self] in perform() }
  }

  /// Cancels the operation, whose last waiter has left.
  func cancel(_ handle: OperationHandle) {
    task?.task.cancel()
    _ = table.scheduler.core.cancel(handle)
  }

  func run(_ operation: ScheduledOperation) {
    self.operation = operation
    task?.begin(on: table.scheduler)
  }

  private func perform() {
    defer { body = nil }
    guard table.begin(self), let operation, let body = body.take() else { return }
    outcome = AsyncTransaction.Outcome { try body(operation) }
  }

  func operationEnded(wasCancelled: Bool) {
    if wasCancelled { task?.begin(on: table.scheduler) }
    var each = table.end(self)
    // Unlinked one by one, because releasing a chain of waiters would recurse.
    while let waiter = each {
      each = waiter.next.take()
      waiter.flightEnded(outcome)
    }
  }
}

// The transitions. Called with the table's lock held.
extension Flight {
  /// Adds `waiter`, which has not joined a flight.
  func append(_ waiter: Waiter) {
    waiter.stage = .joined(self)
    levels.add(waiter.level)
    waiter.previous = last
    if let last { last.next = waiter } else { first = waiter }
    last = waiter
  }

  /// Removes `waiter`.
  func remove(_ waiter: Waiter) {
    levels.remove(waiter.level)
    let (previous, next) = (waiter.previous, waiter.next.take())
    if let next { next.previous = previous } else { last = previous }
    if let previous { previous.next = next } else { first = next }
    waiter.previous = nil
  }

  /// Changes the level of a waiter.
  func move(from old: Int, to new: Int) {
    levels.remove(old)
    levels.add(new)
  }

  /// Begins to run the body. Returns false if the flight has no waiters.
  func begin() -> Bool {
    guard phase == .queued else { return false }
    phase = .running
    return true
  }

  /// Ends the flight. Returns the first waiter, from which the others are
  /// linked.
  func end() -> Waiter? {
    phase = .ended
    last = nil
    return first.take()
  }

  /// Whether the operation is queued at another level than the highest one of
  /// the waiters.
  var needsMove: Bool { handle != nil && phase == .queued && level != levels.highest }

  /// Returns the level to which the caller must move the operation, or nil if
  /// it is queued there.
  ///
  /// - Parameter moved: The level to which the caller has moved it already.
  func beginMove(after moved: Int?) -> (OperationHandle, level: Int)? {
    guard phase == .queued, let handle, levels.highest != moved ?? level else { return nil }
    level = levels.highest
    return (handle, level)
  }
}

/// The base class for objects that wait for the result of a flight.
class FlightWaiter<Key: Hashable & Sendable, Value: Sendable>: @unchecked Sendable {
  // @unchecked: the table's lock protects the variables. After the flight has
  // ended, only the thread that ended it uses the links. Each derived class
  // documents how its own state is protected.

  enum Stage {
    /// Has not joined a flight.
    case initial
    /// Waits for the flight, or was notified of its end.
    case joined(Flight<Key, Value>)
    /// Has left its flight, or will not join one.
    case left
  }

  final let table: FlightTable<Key, Value>
  final var stage = Stage.initial
  /// The level at which this waiter wants the operation to run.
  final private(set) var level: Int
  // The neighbours in the flight's list.
  final fileprivate(set) var next: FlightWaiter?
  final fileprivate unowned(unsafe) var previous: FlightWaiter?

  init(_ table: FlightTable<Key, Value>, level: Int) {
    self.table = table
    self.level = level
  }

  /// Called once on a worker when the flight has ended, unless the waiter left
  /// the flight before.
  func flightEnded(_ outcome: AsyncTransaction.Outcome<Value>) {}

  /// Whether `transaction` waits for this waiter. Call from any thread.
  func isAwaited(by transaction: ObjectIdentifier) -> Bool { false }

  /// The name used in error messages.
  var title: String { "single flight" }
}

// The transitions. Called with the table's lock held.
extension FlightWaiter {
  final var isInitial: Bool { if case .initial = stage { true } else { false } }

  /// The flight that the waiter waits for.
  final var flight: Flight<Key, Value>? {
    if case .joined(let flight) = stage, flight.phase != .ended { flight } else { nil }
  }

  /// Leaves the flight. Returns the flight, or nil if the waiter was not
  /// waiting, and whether the body had not begun.
  final func leave() -> (Flight<Key, Value>?, wasQueued: Bool) {
    let (flight, wasInitial) = (flight, isInitial)
    if wasInitial { stage = .left }
    guard let flight else { return (nil, wasInitial) }
    stage = .left
    flight.remove(self)
    return (flight, flight.phase == .queued)
  }

  /// Sets the level to the result of `new`, which receives the present level.
  /// Returns the flight that the waiter waits for.
  final func setLevel(_ new: (Int) -> Int) -> Flight<Key, Value>? {
    let old = level
    level = new(old)
    guard let flight, level != old else { return flight }
    flight.move(from: old, to: level)
    return flight
  }
}

/// How many waiters of a flight want each level.
struct FlightLevels {
  // At most 257 levels, and usually one or two.
  private var counts: [Int: Int] = [:]

  /// The number of waiters.
  private(set) var count = 0

  /// The highest level.
  var highest: Int { counts.keys.max() ?? 0 }

  mutating func add(_ level: Int) {
    count += 1
    counts[level, default: 0] += 1
  }

  mutating func remove(_ level: Int) {
    count -= 1
    counts[level, default: 0] -= 1
    if counts[level] == 0 { counts[level] = nil }
  }
}
