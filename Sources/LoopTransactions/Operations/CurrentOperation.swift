/// The owner of the operation that each thread runs. Not retained: the thread that
/// runs it holds its owner.
enum CurrentOperation {
  private static let slot = ThreadLocal<OperationOwner>()

  /// The owner of the operation that the calling thread runs.
  static var owner: OperationOwner? { slot.value }

  /// Calls `body` as an operation of `owner`, which may be inside another one.
  static func with(_ owner: OperationOwner, _ body: () -> Void) {
    let outer = slot.value
    slot.value = owner
    body()
    slot.value = outer
  }
}
