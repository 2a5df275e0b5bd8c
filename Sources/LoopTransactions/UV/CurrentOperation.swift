import CUV

/// Which operation each thread runs, as whom it belongs to. Not retained: who runs
/// it holds its owner.
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

  private static let key = Key()

  /// The owner of the operation that the calling thread runs.
  static var owner: OperationOwner? {
    guard let address = uv_key_get(key.pointer) else { return nil }
    return Unmanaged<OperationOwner>.fromOpaque(address).takeUnretainedValue()
  }

  /// Calls `body` as an operation of `owner`; one within the other is fine.
  static func with(_ owner: OperationOwner, _ body: () -> Void) {
    let outer = uv_key_get(key.pointer)
    uv_key_set(key.pointer, Unmanaged.passUnretained(owner).toOpaque())
    body()
    uv_key_set(key.pointer, outer)
  }
}
