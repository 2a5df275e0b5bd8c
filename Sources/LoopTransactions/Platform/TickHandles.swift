import CUV

/// The prepare, check and idle handles that drive a loop's ticks.
///
/// One handle of each kind serves all observers, queues and transactions.
/// Prepare and check handles do not keep the loop alive. The idle handle keeps
/// it alive while started. The loop starts it to prevent libuv from blocking
/// while work is pending. I2.
package struct TickHandles {
  private let prepare: UVHandle<uv_prepare_t>
  private let check: UVHandle<uv_check_t>
  private let idle: UVHandle<uv_idle_t>

  /// Starts the handles on `loop`, which calls the two functions once per tick.
  /// They get the owner from `unmanagedOwner(of:as:)`, which returns nil until
  /// an owner is set.
  package init(
    loop: UVLoop,
    beforeWaiting: PrepareCallback,
    afterWaiting: CheckCallback
  ) throws(UVError) {
    prepare = try UVHandle("EventLoop.init") { uv_prepare_init(loop.pointer, $0) }
    check = try UVHandle("EventLoop.init") { uv_check_init(loop.pointer, $0) }
    idle = try UVHandle("EventLoop.init") { uv_idle_init(loop.pointer, $0) }
    // Order: libuv calls handles in the reverse of the order in which they were
    // started. On a new loop these are started first, so they run after all
    // others.
    uv_prepare_start(prepare.pointer, beforeWaiting)
    uv_check_start(check.pointer, afterWaiting)
    prepare.keepsLoopAlive(false)
    check.keepsLoopAlive(false)
  }

  /// Keeps the loop from blocking or ending until `disarm()`.
  package func arm() { uv_idle_start(idle.pointer, noop) }

  /// Allows the loop to block again.
  package func disarm() { uv_idle_stop(idle.pointer) }

  /// Whether the loop's owner has closed one of these handles.
  package var areClosing: Bool { prepare.isClosing || check.isClosing || idle.isClosing }

  /// The addresses of the handles.
  package var addresses: [UnsafeMutableRawPointer] {
    [prepare.address, check.address, idle.address]
  }

  /// Sets the owner that the callbacks receive. It is not retained. With a nil
  /// owner, the callbacks do nothing.
  package func setOwner(_ owner: AnyObject?) {
    prepare.setOwner(owner)
    check.setOwner(owner)
  }

  /// Closes the handles. The loop's next tick frees them.
  package func close() {
    prepare.close()
    check.close()
    idle.close()
  }
}

// Empty: an idle handle is only started for its effect on the poll's timeout.
private func noop(_ handle: UnsafeMutablePointer<uv_idle_t>?) {}
