import CUV

/// A timerfd: a Linux descriptor that becomes readable at an absolute time in
/// nanoseconds.
struct DeadlineSource {
  private let descriptor: Int32
  private let handle: UVHandle<uv_poll_t>

  /// Whether this system has timerfds.
  static var isSupported: Bool {
    #if os(Linux)
      true
    #else
      false
    #endif
  }

  /// Opens a timerfd to pass to `init`.
  ///
  /// - Parameter failure: If not 0, the error to throw instead. For tests.
  static func open(failing failure: Int32 = 0) throws(UVError) -> Int32 {
    try check(failure == 0 ? lt_timerfd_open() : failure, "EventLoop.addPreciseTimer")
  }

  /// Whether `error`, thrown by `open`, means that the process is not permitted
  /// to use timerfds (in a sandbox, for example), rather than that the system
  /// ran out of descriptors or memory.
  static func isRefusal(_ error: UVError) -> Bool {
    switch error.code {
    case UV_EMFILE.rawValue, UV_ENFILE.rawValue, UV_ENOMEM.rawValue: false
    default: true
    }
  }

  /// Polls `descriptor` on `loop`, and calls `reached` for `owner` at each
  /// deadline.
  ///
  /// Takes ownership of `descriptor`, and closes it if this throws.
  init(
    _ descriptor: Int32,
    loop: UVLoop,
    owner: AnyObject,
    reached: PollCallback
  ) throws(UVError) {
    do {
      handle = try UVHandle("EventLoop.addPreciseTimer") {
        uv_poll_init(loop.pointer, $0, descriptor)
      }
    } catch {
      lt_descriptor_close(descriptor)
      throw error
    }
    self.descriptor = descriptor
    handle.setOwner(owner)
    uv_poll_start(handle.pointer, Int32(UV_READABLE.rawValue), reached)
  }

  /// Arms the timer to fire once, at `nanoseconds` of the monotonic clock.
  func arm(at nanoseconds: UInt64) {
    // 0 would disarm the timer. Any time in the past fires at once.
    let result = lt_timerfd_arm(descriptor, max(nanoseconds, 1), 0)
    assert(result == 0, "DeadlineSource.arm: timerfd_settime failed: \(result)")
  }

  /// Keeps the timer from firing until it is armed again.
  func disarm() {
    let result = lt_timerfd_arm(descriptor, 0, 0)
    assert(result == 0, "DeadlineSource.disarm: timerfd_settime failed: \(result)")
  }

  /// Resets the descriptor after a deadline has passed. Arming resets it too.
  func acknowledge() { _ = lt_counter_read(descriptor) }

  /// Makes each expiry a separate event, so that the descriptor need not be
  /// reset. Returns whether this succeeded. Call after the first expiry, because
  /// `loop` must already watch the descriptor.
  func enableEdgeTriggering(on loop: UVLoop) -> Bool {
    loop.enableEdgeTriggering(of: descriptor)
  }

  /// Stops polling in a child process, unless the child shares the kernel's
  /// poll with the parent.
  func stopInChild(of loop: UVLoop) {
    handle.stopInChild(of: loop, watching: descriptor)
  }

  /// Detaches the owner. The next expiry stops the poll handle.
  func detachOwner() { handle.setOwner(nil) }

  /// Sets whether the loop's run waits for the deadline.
  func keepsLoopAlive(_ yes: Bool) { handle.keepsLoopAlive(yes) }

  /// The handle's address.
  var address: UnsafeMutableRawPointer { handle.address }

  /// Closes the handle and the descriptor.
  func close() {
    handle.close()
    lt_descriptor_close(descriptor)
  }
}
