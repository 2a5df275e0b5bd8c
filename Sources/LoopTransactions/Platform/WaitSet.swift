import CUV

/// Descriptors and one deadline that a thread waits for. Linux only.
///
/// Any thread may change the set while another thread waits for it. A change
/// takes effect at once, and does not wake the waiting thread.
struct WaitSet: Sendable {
  private let set: lt_wait_set

  /// Opens an empty set. Errors contain `operation`.
  ///
  /// - Throws: `UVError` if the system is out of descriptors, or is not Linux.
  init(_ operation: String) throws(UVError) {
    var set = lt_wait_set(poll: -1, timer: -1, wake: -1)
    try check(lt_wait_set_open(&set), operation)
    self.set = set
  }

  /// Closes the set. No thread may use it any more.
  func close() { withSet { lt_wait_set_close($0) } }

  /// Adds `descriptor` under a number other than 0. It is not waited for until
  /// `arm`.
  func add(_ descriptor: Int32, _ number: UInt64, for operation: String) throws(UVError) {
    try check(withSet { lt_wait_set_add($0, descriptor, number) }, operation)
  }

  /// Waits for `descriptor` until it is readable, once.
  func arm(_ descriptor: Int32, _ number: UInt64) {
    let result = withSet { lt_wait_set_arm($0, descriptor, number) }
    assert(result == 0, "WaitSet.arm: epoll_ctl failed: \(result)")
  }

  /// Removes `descriptor`, which must still be open.
  func remove(_ descriptor: Int32) { withSet { lt_wait_set_remove($0, descriptor) } }

  /// Ends the wait at `nanoseconds` of the monotonic clock. `.max` means never.
  func setDeadline(_ nanoseconds: UInt64) {
    // 0 would disarm the timer. Any time in the past ends the wait at once.
    let result = withSet { lt_wait_set_deadline($0, nanoseconds == .max ? 0 : max(nanoseconds, 1)) }
    assert(result == 0, "WaitSet.setDeadline: timerfd_settime failed: \(result)")
  }

  /// Ends the wait at once.
  func wake() { withSet { lt_wait_set_wake($0) } }

  /// Waits until a descriptor is readable, the deadline has passed, or `wake`
  /// is called. Returns the numbers of up to 64 readable descriptors, which are
  /// not waited for again until `arm`.
  func wait() -> [UInt64] {
    [UInt64](unsafeUninitializedCapacity: 64) { buffer, count in
      count = Int(max(withSet { lt_wait_set_wait($0, buffer.baseAddress, 64) }, 0))
    }
  }

  private func withSet<Result>(_ body: (UnsafePointer<lt_wait_set>) -> Result) -> Result {
    withUnsafePointer(to: set, body)
  }
}
