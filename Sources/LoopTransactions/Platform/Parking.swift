import CUV

/// A counting semaphore on which threads sleep. Each wake releases one thread.
final class Parking: @unchecked Sendable {
  // @unchecked: `permits` is only accessed while `mutex` is held.

  private let mutex = UnsafeMutablePointer<uv_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<uv_cond_t>.allocate(capacity: 1)
  @exclusivity(unchecked) private var permits = 0

  /// Creates a semaphore without permits.
  init() {
    guard uv_mutex_init(mutex) == 0, uv_cond_init(condition) == 0 else {
      fatalError("Parking: uv_mutex_init or uv_cond_init failed; the system is out of memory")
    }
  }

  deinit {
    uv_cond_destroy(condition)
    uv_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Wakes `count` sleeping threads. If fewer threads sleep, later calls of
  /// `sleep` return at once.
  ///
  /// Call from any thread.
  func wake(_ count: Int = 1) {
    uv_mutex_lock(mutex)
    permits += count
    uv_mutex_unlock(mutex)
    if count == 1 { uv_cond_signal(condition) } else { uv_cond_broadcast(condition) }
  }

  /// Blocks until a wake is available, and consumes it.
  func sleep() {
    uv_mutex_lock(mutex)
    while permits == 0 { uv_cond_wait(condition, mutex) }
    permits -= 1
    uv_mutex_unlock(mutex)
  }

  /// Blocks until a wake is available, and consumes it. Returns false if no
  /// wake came within `nanoseconds`.
  func sleep(atMost nanoseconds: UInt64) -> Bool {
    let end = uv_hrtime() &+ nanoseconds
    uv_mutex_lock(mutex)
    defer { uv_mutex_unlock(mutex) }
    while permits == 0 {
      let now = uv_hrtime()
      guard now < end else { return false }
      uv_cond_timedwait(condition, mutex, end - now)
    }
    permits -= 1
    return true
  }
}
