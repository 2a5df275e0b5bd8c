import CUV

/// A thread-local address, initially nil.
struct ThreadSlot: @unchecked Sendable {
  // @unchecked: the key is created once and does not change afterwards.
  private let key = UnsafeMutablePointer<uv_key_t>.allocate(capacity: 1)

  /// Creates the slot, which is never freed.
  init() {
    guard uv_key_create(key) == 0 else {
      fatalError("ThreadSlot: uv_key_create failed; the process is out of thread-local keys")
    }
  }

  /// Creates the slot, which is never freed. An address that is not nil is passed
  /// to `release` when its thread ends.
  init(_ release: @convention(c) (UnsafeMutableRawPointer?) -> Void) {
    guard lt_key_create(key, release) == 0 else {
      fatalError("ThreadSlot: pthread_key_create failed; the process is out of thread-local keys")
    }
  }

  /// The calling thread's address.
  var address: UnsafeMutableRawPointer? {
    @inline(__always)
    get { lt_key_get(key) }
    nonmutating set { uv_key_set(key, newValue) }
  }
}
