/// A call from another thread that a loop is to answer.
class LoopCall: AwaitedCall, @unchecked Sendable {
  // @unchecked: `stage` has its lock; the rest are constants; derived classes say
  // what guards theirs.

  private enum Stage {
    case waiting
    /// The loop is at it, or was.
    case taken
    /// It would never have been answered: by the transaction of this name.
    case letGo(String)
  }

  let loop: PortCore
  /// Whose operation waits; nil: none of ours.
  let owner: OperationOwner?
  let parking = Parking()
  private let stage = Locked(Stage.waiting)

  init(loop: PortCore, owner: OperationOwner?) {
    self.loop = loop
    self.owner = owner
  }

  /// The loop takes it; false if nobody waits for the answer any more.
  final func take() -> Bool {
    stage.withLock {
      guard case .waiting = $0 else { return false }
      $0 = .taken
      return true
    }
  }

  /// Answers it without the loop; false if the loop is at it.
  final func letGo(_ name: String) -> Bool {
    stage.withLock {
      guard case .waiting = $0 else { return false }
      $0 = .letGo(name)
      return true
    }
  }

  /// Wakes the caller, who finds no result.
  final func wasRefused() {
    if take() { parking.wake() }
  }

  /// The transaction that stood in the way.
  final var obstacle: String? {
    stage.withLock {
      if case .letGo(let name) = $0 { return name }
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

  init(
    loop: PortCore,
    owner: OperationOwner?,
    _ body: @escaping @Sendable () throws -> Value
  ) {
    self.body = body
    super.init(loop: loop, owner: owner)
  }

  override func answer() {
    guard let body else { return }
    self.body = nil
    do { result = .success(try body()) } catch { result = .failure(error) }
  }

  /// What the loop made of it.
  func takeResult() throws -> Value? { try result.take()?.get() }
}
