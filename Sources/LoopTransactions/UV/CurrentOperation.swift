import CUV

/// Which operations each thread runs, by their owners, one within another. Not
/// retained: the thread that runs an operation holds its owner.
enum CurrentOperation {
  private struct Key: @unchecked Sendable {
    // @unchecked: the key is made once, and is only an index afterwards.
    let pointer = UnsafeMutablePointer<uv_key_t>.allocate(capacity: 1)

    init() {
      guard uv_key_create(pointer) == 0 else {
        fatalError("OperationScheduler: the process has no thread-local key left")
      }
    }
  }

  // Lies on the stack of the thread that runs the operation.
  private struct Frame {
    let owner: Unmanaged<OperationOwner>
    let outer: UnsafeMutableRawPointer?
  }

  private static let key = Key()

  /// The owner of the innermost operation that the calling thread runs.
  static var owner: OperationOwner? { owner(of: uv_key_get(key.pointer)) }

  /// The owners of all operations that cannot end before the calling thread goes on,
  /// innermost first.
  static var owners: [OperationOwner] {
    var owners: [OperationOwner] = []
    var address = uv_key_get(key.pointer)
    while let frame = frame(at: address) {
      owners.append(frame.owner.takeUnretainedValue())
      address = frame.outer
    }
    return owners
  }

  /// Whether `transaction` waits for the calling thread to go on.
  static func isAwaited(by transaction: AsyncTransactionCore) -> Bool {
    owners.contains { $0.isAwaited(by: transaction) }
  }

  /// Calls `body` as part of an operation of `owner`. Calls may be nested.
  static func with(_ owner: OperationOwner, _ body: () -> Void) {
    let outer = uv_key_get(key.pointer)
    var frame = Frame(owner: .passUnretained(owner), outer: outer)
    withUnsafeMutablePointer(to: &frame) { frame in
      uv_key_set(key.pointer, frame)
      body()
      uv_key_set(key.pointer, outer)
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
