/// Operations of one urgency, each of which adds the next: as many wait at any time.
final class EndlessLoad<Pool: FunctionPool>: Sendable {
  private let field: PriorityField
  private let add: @Sendable () -> Void
  private let step: Caller

  init(_ pool: Pool, _ field: PriorityField, _ urgency: Urgency) {
    // Known before the first operation is added.
    let address = HandOff<Shared<UnsafeMutableRawPointer>>()
    let add: @Sendable () -> Void = {
      pool.add(Caller.call, context: address.value?.value, urgency)
    }
    step = Caller { if field.spend() { add() } else { field.leave() } }
    address.value = Shared(step.address)
    (self.field, self.add) = (field, add)
  }

  /// Adds the first `count`.
  func begin(_ count: Int) {
    field.begin(count)
    for _ in 0..<count { add() }
  }

  /// Returns when every one has ended, and the operation that was timed too. Keep the
  /// load until the pool is closed.
  func end() { field.end() }
}
