#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A value that many threads share, each while it holds the lock.
///
/// A pthread mutex: ThreadSanitizer understands it, which it does not the standard
/// library's on Linux. Not recursive.
package final class Guarded<Value>: @unchecked Sendable {
  // @unchecked: `value` is touched between lock and unlock of `mutex` only.

  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private var value: Value

  /// Guards `value` from now on.
  package init(_ value: Value) {
    self.value = value
    require(pthread_mutex_init(mutex, nil) == 0, "Guarded: no memory left for a mutex")
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Runs `body` with the value, while no other thread does.
  package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value)
  }
}
