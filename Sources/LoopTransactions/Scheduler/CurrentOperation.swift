/// Which operations each thread runs, by their owners, one within another. Not
/// retained: the thread that runs an operation holds its owner.
enum CurrentOperation {
  // Lies on the stack of the thread that runs the operation.
  private struct Frame {
    let owner: Unmanaged<OperationOwner>
    let outer: UnsafeMutableRawPointer?
  }

  private static let slot = ThreadSlot()

  /// The owner of the innermost operation that the calling thread runs.
  static var owner: OperationOwner? { owner(of: slot.address) }

  /// The owners of all operations that cannot end before the calling thread goes on,
  /// innermost first.
  static var owners: [OperationOwner] {
    var owners: [OperationOwner] = []
    var address = slot.address
    while let frame = frame(at: address) {
      owners.append(frame.owner.takeUnretainedValue())
      address = frame.outer
    }
    return owners
  }

  /// Whether `transaction` waits for the calling thread to go on.
  static func isAwaited(by transaction: AnyObject) -> Bool {
    owners.contains { $0.isAwaited(by: transaction) }
  }

  /// Calls `body` as part of an operation of `owner`. Calls may be nested.
  static func with(_ owner: OperationOwner, _ body: () -> Void) {
    let outer = slot.address
    var frame = Frame(owner: .passUnretained(owner), outer: outer)
    withUnsafeMutablePointer(to: &frame) { frame in
      slot.address = UnsafeMutableRawPointer(frame)
      body()
      slot.address = outer
    }
  }

  /// Calls `body` as part of the operations of `owners`, given innermost first.
  static func with(_ owners: ArraySlice<OperationOwner>, _ body: () -> Void) {
    guard let outermost = owners.last else { return body() }
    with(outermost) { with(owners.dropLast(), body) }
  }

  private static func owner(of address: UnsafeMutableRawPointer?) -> OperationOwner? {
    frame(at: address)?.owner.takeUnretainedValue()
  }

  private static func frame(at address: UnsafeMutableRawPointer?) -> Frame? {
    address?.assumingMemoryBound(to: Frame.self).pointee
  }
}
