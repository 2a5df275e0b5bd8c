import CUV

/// Where threads sleep until others wake them: one for each wake, whichever comes
/// first.
final class Parking: @unchecked Sendable {
  // @unchecked: `permits` is touched between lock and unlock of `mutex` only.

  private let mutex = UnsafeMutablePointer<uv_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<uv_cond_t>.allocate(capacity: 1)
  @exclusivity(unchecked) private var permits = 0

  /// A place where nobody sleeps yet.
  init() {
    guard uv_mutex_init(mutex) == 0, uv_cond_init(condition) == 0 else {
      fatalError("Parking: the system has no memory left for a lock")
    }
  }

  deinit {
    uv_cond_destroy(condition)
    uv_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Wakes `count` that sleep, or lets as many that come later pass.
  ///
  /// Call from any thread.
  func wake(_ count: Int = 1) {
    uv_mutex_lock(mutex)
    permits += count
    uv_mutex_unlock(mutex)
    if count == 1 { uv_cond_signal(condition) } else { uv_cond_broadcast(condition) }
  }

  /// Sleeps until a wake falls to the caller.
  func sleep() {
    uv_mutex_lock(mutex)
    while permits == 0 { uv_cond_wait(condition, mutex) }
    permits -= 1
    uv_mutex_unlock(mutex)
  }

  /// Sleeps until a wake falls to the caller; false if none did within
  /// `nanoseconds`.
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
