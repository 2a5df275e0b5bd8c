import CUV

/// A value that many threads share, each while it holds the lock.
///
/// Wraps libuv's mutex: ThreadSanitizer understands it, which it does not the
/// standard library's on Linux. Not recursive.
package final class Locked<Value: ~Copyable>: @unchecked Sendable {
  // @unchecked: `value` is touched between lock and unlock of `mutex` only.

  private let mutex = UnsafeMutablePointer<uv_mutex_t>.allocate(capacity: 1)

  // Unchecked: the mutex already makes accesses exclusive; the dynamic check
  // would cost more than the lock.
  @exclusivity(unchecked) private var value: Value

  /// Guards `value` from now on.
  package init(_ value: consuming Value) {
    self.value = value
    guard uv_mutex_init(mutex) == 0 else {
      fatalError("Locked: the system has no memory left for a mutex")
    }
  }

  deinit {
    uv_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Runs `body` with the value, while no other thread does.
  package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    uv_mutex_lock(mutex)
    defer { uv_mutex_unlock(mutex) }
    return try body(&value)
  }
}
