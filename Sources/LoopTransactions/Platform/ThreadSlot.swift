import CUV

/// An address for each thread, nil at first.
struct ThreadSlot: @unchecked Sendable {
  // @unchecked: the key is made once, and is only an index afterwards.
  private let key = UnsafeMutablePointer<uv_key_t>.allocate(capacity: 1)

  /// Makes the slot, which is never freed.
  init() {
    guard uv_key_create(key) == 0 else {
      fatalError("ThreadSlot: the process has no thread-local key left")
    }
  }

  /// The calling thread's address.
  var address: UnsafeMutableRawPointer? {
    get { uv_key_get(key) }
    nonmutating set { uv_key_set(key, newValue) }
  }
}
