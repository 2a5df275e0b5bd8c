import CUV

/// A descriptor that becomes readable at an absolute nanosecond: Linux's timerfd.
struct DeadlineSource {
  private let descriptor: Int32
  private let handle: UVHandle<uv_poll_t>

  /// Whether this system has such descriptors.
  static var isSupported: Bool {
    #if os(Linux)
      true
    #else
      false
    #endif
  }

  /// Opens a descriptor for `init`.
  ///
  /// - Parameter failure: If not 0, the error that this throws instead. For tests.
  static func open(failing failure: Int32 = 0) throws(UVError) -> Int32 {
    try check(failure == 0 ? lt_timerfd_open() : failure, "EventLoop.addPreciseTimer")
  }

  /// Whether `error`, thrown by `open`, means that this process may not have such a
  /// descriptor (in a sandbox, for example), and not that the system ran out of
  /// descriptors or memory.
  static func isRefusal(_ error: UVError) -> Bool {
    switch error.code {
    case UV_EMFILE.rawValue, UV_ENFILE.rawValue, UV_ENOMEM.rawValue: false
    default: true
    }
  }

  /// Polls `descriptor` on `loop`, and calls `reached` with `owner` at each deadline.
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

  /// Fires once, at `nanoseconds` of the monotonic clock.
  func arm(at nanoseconds: UInt64) {
    // A deadline of 0 would disarm; the past fires at once either way.
    let result = lt_timerfd_arm(descriptor, max(nanoseconds, 1), 0)
    assert(result == 0, "DeadlineSource.arm: timerfd_settime failed with \(result)")
  }

  /// Takes note that the deadline passed.
  func acknowledge() { _ = lt_counter_read(descriptor) }

  /// Ends the watching in a child process, unless its poll is the parent's.
  func stopInChild(of loop: UVLoop) {
    handle.stopInChild(of: loop, watching: descriptor)
  }

  /// Leaves the timer: what fires from now on ends the watching.
  func leaveOwner() { handle.setOwner(nil) }

  /// Whether the loop's run waits for the deadline.
  func keepsLoopAlive(_ yes: Bool) { handle.keepsLoopAlive(yes) }

  /// The handle's address.
  var address: UnsafeMutableRawPointer { handle.address }

  /// Closes handle and descriptor.
  func close() {
    handle.close()
    lt_descriptor_close(descriptor)
  }
}
