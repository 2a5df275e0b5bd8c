/// A call from another thread that a loop is to answer.
class LoopCall: AwaitedCall, @unchecked Sendable {
  // @unchecked: `stage` has its lock; the rest are constants; derived classes say
  // what guards theirs.

  private enum Stage {
    case waiting
    /// The loop is running it.
    case claimed
    /// It was run, and its caller is being woken.
    case answered
    /// It would never have been answered: its loop waits for this.
    case gaveUp(WaitCycleError.Party)
  }

  let loop: PortCore
  let parking = Parking()
  private let stage = Locked(Stage.waiting)

  init(loop: PortCore) { self.loop = loop }

  /// The loop takes it; false if nobody waits for the answer any more.
  final func claim() -> Bool {
    stage.withLock {
      guard case .waiting = $0 else { return false }
      $0 = .claimed
      return true
    }
  }

  /// The loop has run it: its caller waits no more, although it may not know yet.
  final func finish() {
    stage.withLock { $0 = .answered }
    parking.wake()
  }

  /// Ends it without the loop, which waits for `obstacle`; false if the loop took it.
  final func giveUp(_ obstacle: WaitCycleError.Party) -> Bool {
    stage.withLock {
      guard case .waiting = $0 else { return false }
      $0 = .gaveUp(obstacle)
      return true
    }
  }

  /// Wakes the caller, who finds no result.
  final func wasRefused() {
    if claim() { finish() }
  }

  /// Whether its caller has to wait still.
  final var isPending: Bool {
    stage.withLock {
      switch $0 {
      case .waiting, .claimed: true
      case .answered, .gaveUp: false
      }
    }
  }

  /// What stood in the way.
  final var obstacle: WaitCycleError.Party? {
    stage.withLock {
      if case .gaveUp(let obstacle) = $0 { return obstacle }
      return nil
    }
  }

  /// Runs it. Loop only.
  func answer() {}
}

/// One that makes a `Value`.
final class ValueCall<Value: Sendable>: LoopCall, @unchecked Sendable {
  // @unchecked: `result` is written on the loop before `parking` is woken, and read
  // by its sleeper after that; `body` is used by one of them.

  private var body: (@Sendable () throws -> Value)?
  private var result: Result<Value, any Error>?
  // The caller's: they cannot end before the call is answered.
  private let owners = CurrentOperation.owners

  /// A call to `loop` by the calling thread.
  init(loop: PortCore, _ body: @escaping @Sendable () throws -> Value) {
    self.body = body
    super.init(loop: loop)
  }

  override func answer() {
    guard let body else { return }
    self.body = nil
    CurrentOperation.with(owners[...]) {
      do { result = .success(try body()) } catch { result = .failure(error) }
    }
  }

  /// What the loop made of it.
  func consumeResult() throws -> Value? { try result.take()?.get() }
}
