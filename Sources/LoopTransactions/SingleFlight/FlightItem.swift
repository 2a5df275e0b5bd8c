/// An operation of a transaction that shares a flight.
final class FlightItem<Value: Sendable>: ValueItem<Value>, @unchecked Sendable {
  // @unchecked: `body` is touched on the loop only; other threads go by `boarding`, which
  // has its lock.

  private final class Seat: FlightFollower<Value>, @unchecked Sendable {
    // @unchecked: `item` is used once, by who lands or who leaves; the rest are
    // constants.

    // Kept until then: a loop may be dropped meanwhile.
    private var item: FlightItem<Value>?
    private let name: String
    private let core: AsyncTransactionCore

    init(_ item: FlightItem<Value>, level: Int) {
      self.item = item
      name = item.name
      core = item.core
      super.init(level: level)
    }

    override func landed(_ outcome: AsyncTransaction.Outcome<Value>) {
      item.take()?.outcome = outcome
      core.operationEnded()
    }

    /// It was taken off before it landed.
    func left() {
      item = nil
      core.operationEnded()
    }

    override func isAwaited(by transaction: AnyObject) -> Bool { core === transaction }

    override var title: String { "\(name)" }
  }

  typealias Body = @Sendable (ScheduledOperation) throws -> Value

  private struct Boarding {
    var seat: Seat?
    var flight: Flight<Value>?
    var level: Int
  }

  private let join: (FlightFollower<Value>, inout Body?) -> Flight<Value>
  private var body: Body?
  private let boarding: Locked<Boarding>

  /// An operation of `core` that takes part by `join`.
  init(
    _ name: String,
    _ core: AsyncTransactionCore,
    level: Int,
    _ body: consuming @escaping Body,
    _ completion: consuming ((AsyncTransaction.Outcome<Value>) -> Void)?,
    _ join: @escaping (FlightFollower<Value>, inout Body?) -> Flight<Value>
  ) {
    boarding = Locked(Boarding(level: level))
    self.join = join
    self.body = body
    super.init(name, core, completion)
  }

  override func start() {
    // Cancelled before it began: it does not run.
    if isCancelled {
      CurrentOperation.with(self) { self.body = nil }
      return core.operationEnded()
    }
    let first = boarding.withLock { $0.level }
    let seat = Seat(self, level: first)
    // Moved: a copy might be released here, last of all. O12.
    var body = body
    self.body = nil
    let flight = join(seat, &body)
    let level = boarding.withLock { state in
      (state.seat, state.flight) = (seat, flight)
      return state.level
    }
    if isCancelled { return cancel() }
    if level != first { _ = flight.move(seat, to: level) }
  }

  override func cancelWaiting() {
    guard let (seat, flight) = boarded() else { return }
    if flight.leave(seat) { seat.left() }
  }

  override func move(to level: Int) -> Bool {
    boarding.withLock { $0.level = level }
    guard let (seat, flight) = boarded() else { return true }
    return flight.move(seat, to: level)
  }

  override func help() { boarded()?.1.help() }

  private func boarded() -> (Seat, Flight<Value>)? {
    boarding.withLock { state in
      guard let seat = state.seat, let flight = state.flight else { return nil }
      return (seat, flight)
    }
  }
}

/// A task that waits for a flight.
final class AwaitingFollower<Value: Sendable>: FlightFollower<Value>, @unchecked Sendable {
  // @unchecked: `continuation` is written before anybody else knows this, and used
  // once: by who lands, or by who leaves.

  var continuation: UnsafeContinuation<Value, any Error>?
  private let place = Locked<Flight<Value>?>(nil)

  /// The flight it waits for.
  var flight: Flight<Value>? {
    get { place.withLock { $0 } }
    set { place.withLock { $0 = newValue } }
  }

  /// Waits no more.
  func cancel() {
    guard let flight, flight.leave(self) else { return }
    continuation?.resume(throwing: CancellationError())
  }

  override func landed(_ outcome: AsyncTransaction.Outcome<Value>) {
    continuation?.resume(with: Result { try outcome.get() })
  }
}
