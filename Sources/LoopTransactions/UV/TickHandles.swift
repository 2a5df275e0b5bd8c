import CUV

/// The prepare, check and idle handles that give a loop its ticks.
///
/// One of each serves every observer, queue and transaction. Prepare and check
/// do not keep the loop alive. The idle handle does while it is started: it is
/// how a loop says that it owes work. I2.
struct TickHandles {
  private let prepare: UVHandle<uv_prepare_t>
  private let check: UVHandle<uv_check_t>
  private let idle: UVHandle<uv_idle_t>

  /// Starts the handles on `loop`. They do nothing until they have an owner.
  init(loop: UVLoop) throws(UVError) {
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
  func arm() { uv_idle_start(idle.pointer, comeBack) }

  /// Lets the loop block again.
  func disarm() { uv_idle_stop(idle.pointer) }

  /// Whether somebody else, the loop's owner, closed a handle of ours.
  var areClosing: Bool { prepare.isClosing || check.isClosing || idle.isClosing }

  /// The handles' addresses.
  var addresses: [UnsafeMutableRawPointer] { [prepare.address, check.address, idle.address] }

  /// Lets the callbacks find `owner`, which is not retained; nil makes them do
  /// nothing.
  func setOwner(_ owner: EventLoop?) {
    prepare.setOwner(owner)
    check.setOwner(owner)
  }

  /// Closes the handles; the loop's next tick frees them.
  func close() {
    prepare.close()
    check.close()
    idle.close()
  }
}

private func beforeWaiting(_ handle: UnsafeMutablePointer<uv_prepare_t>?) {
  withLoop(of: handle) { $0.beforeWaiting() }
}

private func afterWaiting(_ handle: UnsafeMutablePointer<uv_check_t>?) {
  withLoop(of: handle) { $0.afterWaiting() }
}

/// Calls `body` with the handle's loop, held until it returns.
@inline(__always)
private func withLoop<Raw>(
  of handle: UnsafeMutablePointer<Raw>?,
  _ body: (EventLoop) -> Void
) {
  guard let loop = unmanagedOwner(of: handle, as: EventLoop.self) else { return }
  // A loop of its own is held by the run that this is part of, and that spares
  // 10 ns a tick; an adopted one may be closed and dropped by what it calls.
  if _fastPath(loop._withUnsafeGuaranteedRef { $0.ownsLoop }) {
    return loop._withUnsafeGuaranteedRef { body($0) }
  }
  callAdopted(loop, body)
}

// Not inlined: what is left of each callback is little, and fast.
@inline(never)
private func callAdopted(_ loop: Unmanaged<EventLoop>, _ body: (EventLoop) -> Void) {
  let held = loop.takeUnretainedValue()
  withExtendedLifetime(held) { held.calledBack { body(held) } }
}

// An idle handle is started for its effect on the poll's timeout alone.
private func comeBack(_ handle: UnsafeMutablePointer<uv_idle_t>?) {}
