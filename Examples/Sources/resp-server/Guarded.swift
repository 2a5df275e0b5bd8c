import CLibUV

/// A value that threads share, under a lock of libuv's.
final class Guarded<Value>: @unchecked Sendable {
  // @unchecked: `value` is touched under the lock only.
  private var value: Value
  private let lock: UnsafeMutablePointer<uv_mutex_t>

  init(_ value: Value) {
    self.value = value
    lock = .allocate(capacity: 1)
    let result = uv_mutex_init(lock)
    precondition(result == 0, "Guarded: the system has memory for a lock")
  }

  deinit {
    uv_mutex_destroy(lock)
    lock.deallocate()
  }

  /// Runs `body` under the lock. It must take no other.
  func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    uv_mutex_lock(lock)
    defer { uv_mutex_unlock(lock) }
    return body(&value)
  }
}
