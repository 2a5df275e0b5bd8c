import CUV

/// The prepare, check and idle handles that give a loop its ticks.
///
/// One of each serves every observer, queue and transaction. Prepare and check
/// do not keep the loop alive. The idle handle does while it is started: it is
/// how a loop says that it owes work. I2.
package struct TickHandles {
  private let prepare: UVHandle<uv_prepare_t>
  private let check: UVHandle<uv_check_t>
  private let idle: UVHandle<uv_idle_t>

  /// Starts the handles on `loop`, which calls the two functions once a tick. They
  /// find the owner by `unmanagedOwner(of:as:)`, and nil until there is one.
  package init(
    loop: UVLoop,
    beforeWaiting: PrepareCallback,
    afterWaiting: CheckCallback
  ) throws(UVError) {
    prepare = try UVHandle("EventLoop.init") { uv_prepare_init(loop.pointer, $0) }
    check = try UVHandle("EventLoop.init") { uv_check_init(loop.pointer, $0) }
    idle = try UVHandle("EventLoop.init") { uv_idle_init(loop.pointer, $0) }
    // Order: libuv runs what was started first last, so on a fresh loop these
    // come after everybody else's.
    uv_prepare_start(prepare.pointer, beforeWaiting)
    uv_check_start(check.pointer, afterWaiting)
    prepare.keepsLoopAlive(false)
    check.keepsLoopAlive(false)
  }

  /// Keeps the loop from blocking and from ending, until `disarm()`.
  package func arm() { uv_idle_start(idle.pointer, noop) }

  /// Lets the loop block again.
  package func disarm() { uv_idle_stop(idle.pointer) }

  /// Whether somebody else, the loop's owner, closed a handle of ours.
  package var areClosing: Bool { prepare.isClosing || check.isClosing || idle.isClosing }

  /// The handles' addresses.
  package var addresses: [UnsafeMutableRawPointer] {
    [prepare.address, check.address, idle.address]
  }

  /// Lets the callbacks find `owner`, which is not retained; nil makes them do
  /// nothing.
  package func setOwner(_ owner: AnyObject?) {
    prepare.setOwner(owner)
    check.setOwner(owner)
  }

  /// Closes the handles; the loop's next tick frees them.
  package func close() {
    prepare.close()
    check.close()
    idle.close()
  }
}

// An idle handle is started for its effect on the poll's timeout alone.
private func noop(_ handle: UnsafeMutablePointer<uv_idle_t>?) {}
