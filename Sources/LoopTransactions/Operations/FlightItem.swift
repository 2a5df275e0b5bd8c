/// An operation of a transaction that shares a flight.
final class FlightItem<Value: Sendable>: ValueItem<Value>, @unchecked Sendable {
  // @unchecked: `join` and `flight` are written on the loop in `start`; other threads
  // go by `seat`, which has its lock.

  private final class Seat: FlightFollower<Value>, @unchecked Sendable {
    // @unchecked: `item` is a constant, and unowned: its transaction keeps it until it
    // has ended, which is what a seat is for.
    unowned(unsafe) let item: FlightItem<Value>

    init(_ item: FlightItem<Value>, level: Int) {
      self.item = item
      super.init(level: level)
    }

    override func landed(_ outcome: AsyncTransaction.Outcome<Value>) {
      item.outcome = outcome
      item.core.operationEnded()
    }

    override func isAwaited(by transaction: AsyncTransactionCore) -> Bool {
      item.core === transaction
    }
  }

  private struct Boarding {
    var seat: Seat?
    var flight: Flight<Value>?
    var level: Int
  }

  private var join: ((FlightFollower<Value>) -> Flight<Value>)?
  private let boarding: Locked<Boarding>

  /// An operation of `core` that takes part by `join`.
  init(
    _ name: StaticString,
    _ core: AsyncTransactionCore,
    level: Int,
    _ completion: ((AsyncTransaction.Outcome<Value>) -> Void)?,
    _ join: @escaping (FlightFollower<Value>) -> Flight<Value>
  ) {
    boarding = Locked(Boarding(level: level))
    self.join = join
    super.init(name, core, completion)
  }

  override func start() {
    guard let join = join.take() else { return }
    let seat = Seat(self, level: boarding.withLock { $0.level })
    let flight = join(seat)
    let level = boarding.withLock { state in
      (state.seat, state.flight) = (seat, flight)
      return state.level
    }
    if isCancelled { return cancel() }
    if level != seat.level { _ = flight.move(seat, to: level) }
  }

  override func cancel() {
    super.cancel()
    guard let (seat, flight) = boarded() else { return }
    if flight.leave(seat) { core.operationEnded() }
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
