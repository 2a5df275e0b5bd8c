/// The base class for a call that another thread makes to a loop. The thread
/// waits until the loop has answered it.
class LoopCall: AwaitedCall, @unchecked Sendable {
  // @unchecked: `stage` has a lock, and the other properties are constant. Each
  // derived class documents how its own state is protected.

  private enum Stage {
    case waiting
    /// The loop is running the call.
    case claimed
    /// The call has run, and its caller is being woken.
    case answered
    /// The call was abandoned because its loop waits for this party.
    case gaveUp(WaitCycleError.Party)
  }

  let loop: PortCore
  let place: SourcePlace?
  let parking = Parking()
  private let stage = Locked(Stage.waiting)

  init(loop: PortCore, at place: SourcePlace) {
    self.loop = loop
    self.place = place
  }

  /// Claims the call for the loop. Returns false if the caller no longer waits.
  final func claim() -> Bool {
    stage.withLock {
      guard case .waiting = $0 else { return false }
      $0 = .claimed
      return true
    }
  }

  /// Wakes the caller, after the loop has run the call.
  final func finish() {
    stage.withLock { $0 = .answered }
    parking.wake()
  }

  /// Abandons the call because its loop waits for `obstacle`. Returns false if
  /// the loop has claimed it.
  final func giveUp(_ obstacle: WaitCycleError.Party) -> Bool {
    stage.withLock {
      guard case .waiting = $0 else { return false }
      $0 = .gaveUp(obstacle)
      return true
    }
  }

  /// Wakes the caller without a result.
  final func wasRefused() {
    if claim() { finish() }
  }

  /// Whether the caller must keep waiting.
  final var isPending: Bool {
    stage.withLock {
      switch $0 {
      case .waiting, .claimed: true
      case .answered, .gaveUp: false
      }
    }
  }

  /// The party the loop waits for, if the call was abandoned.
  final var obstacle: WaitCycleError.Party? {
    stage.withLock {
      if case .gaveUp(let obstacle) = $0 { return obstacle }
      return nil
    }
  }

  /// Runs the call. Loop thread only.
  func answer() {}
}

/// A call that returns a `Value`.
final class ValueCall<Value: Sendable>: LoopCall, @unchecked Sendable {
  // @unchecked: `result` is written on the loop before `parking` is woken, and
  // read by the woken thread. `body` is used by one of the two threads.

  private var body: (@Sendable () throws -> Value)?
  private var result: Result<Value, any Error>?
  // The caller's operations, which cannot end before the call is answered.
  private let owners = CurrentOperation.owners

  /// Creates a call to `loop` from the calling thread.
  init(loop: PortCore, at place: SourcePlace, _ body: @escaping @Sendable () throws -> Value) {
    self.body = body
    super.init(loop: loop, at: place)
  }

  override func answer() {
    guard let body else { return }
    self.body = nil
    CurrentOperation.with(owners[...]) {
      do { result = .success(try body()) } catch { result = .failure(error) }
    }
  }

  /// Returns the result of the call, at most once. Returns nil if the loop did
  /// not run the call.
  func consumeResult() throws -> Value? { try result.take()?.get() }
}
