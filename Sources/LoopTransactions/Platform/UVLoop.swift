import CUV

/// The address of a libuv loop, and the functions used on it.
package struct UVLoop {
  let pointer: UnsafeMutablePointer<uv_loop_t>

  /// Wraps the initialised loop at `address`.
  package init(address: UnsafeMutableRawPointer) {
    pointer = address.assumingMemoryBound(to: uv_loop_t.self)
  }

  private init(pointer: UnsafeMutablePointer<uv_loop_t>) { self.pointer = pointer }

  /// Creates a libuv loop that this library owns.
  static func open() throws(UVError) -> UVLoop {
    let pointer = UnsafeMutablePointer<uv_loop_t>.allocate(size: uv_loop_size())
    let result = lt_loop_init(pointer)
    guard result == 0 else {
      pointer.deallocate()
      throw UVError(code: result, operation: "EventLoop.init")
    }
    return UVLoop(pointer: pointer)
  }

  /// Closes and frees an owned loop. All its handles must be closed.
  func close() throws(UVError) {
    try check(uv_loop_close(pointer), "EventLoop.close")
    pointer.deallocate()
  }

  /// Runs until the loop is stopped or has nothing left to wait for. Returns
  /// whether it still has something to wait for.
  @discardableResult
  func run(_ mode: RunMode) -> Bool { uv_run(pointer, mode.libuv) != 0 }

  /// Makes the current run return. Between two runs, makes the next run return.
  func stop() { uv_stop(pointer) }

  /// Whether the current run was stopped. Between two runs, whether the next
  /// run was stopped.
  var isStopping: Bool { pointer.pointee.stop_flag != 0 }

  /// Whether there is an active handle or request to wait for.
  package var isAlive: Bool { uv_loop_alive(pointer) != 0 }

  /// libuv's clock, in milliseconds. Constant within a tick.
  // The field, because a call takes as long as the rest of a comparison with it.
  var milliseconds: UInt64 { pointer.pointee.time }

  /// Starts measuring the time that polls block. The measurement cannot be
  /// disabled again.
  func measureIdleTime() { _ = lt_measure_idle(pointer) }

  /// The time that polls have blocked since the measurement began, in
  /// nanoseconds.
  var idleNanoseconds: UInt64 { uv_metrics_idle_time(pointer) }

  /// The descriptor that is readable when the loop has events.
  var backendDescriptor: Int32 { uv_backend_fd(pointer) }

  /// The time that the next poll may block, in milliseconds of libuv's clock.
  /// -1 means without limit.
  package var backendTimeout: Int32 { uv_backend_timeout(pointer) }

  /// Whether an idle handle is active, so that the next poll does not block.
  package var hasIdleHandles: Bool { lt_has_idle_handles(pointer) != 0 }

  /// Updates libuv's clock.
  func updateTime() { uv_update_time(pointer) }
}

extension UVLoop {
  /// Makes the kernel's poll report events of `descriptor` edge-triggered. The
  /// poll must already watch the descriptor. Returns whether this succeeded.
  func enableEdgeTriggering(of descriptor: Int32) -> Bool {
    lt_watch_edges(pointer, descriptor) == 0
  }

  /// Returns whether the kernel's poll in this child process is still shared
  /// with the parent.
  ///
  /// A kernel poll that `uv_loop_fork` created watches nothing until the loop
  /// polls it. If this returns true, `descriptor` is edge-triggered from then
  /// on, so its events cannot make the child spin.
  func sharesPoll(of descriptor: Int32) -> Bool { enableEdgeTriggering(of: descriptor) }

  /// The descriptor of libuv's own wake handle, which each loop has.
  var ownWakeDescriptor: Int32 { pointer.pointee.async_io_watcher.fd }

  /// Returns the sorted types of the open handles that are not in `ours`.
  func foreignHandles(besides ours: Set<UnsafeMutableRawPointer>) -> [String] {
    var walk = HandleWalk(ours: ours)
    withUnsafeMutablePointer(to: &walk) { uv_walk(pointer, visitHandle, $0) }
    return walk.foreign.sorted()
  }
}

private struct HandleWalk {
  let ours: Set<UnsafeMutableRawPointer>
  var foreign: [String] = []
}

private func visitHandle(
  _ handle: UnsafeMutablePointer<uv_handle_t>?,
  _ walk: UnsafeMutableRawPointer?
) {
  guard let handle, let walk = walk?.assumingMemoryBound(to: HandleWalk.self) else { return }
  guard !walk.pointee.ours.contains(handle), uv_is_closing(handle) == 0 else { return }
  let name = uv_handle_type_name(uv_handle_get_type(handle))
  walk.pointee.foreign.append(name.map { String(cString: $0) } ?? "unknown")
}

/// How long a call of `uv_run` runs the loop.
enum RunMode {
  /// Runs until the loop is stopped or has nothing left to wait for.
  case whole
  /// Runs one tick that may block.
  case once
  /// Runs one tick that does not block.
  case noWait

  fileprivate var libuv: uv_run_mode {
    switch self {
    case .whole: UV_RUN_DEFAULT
    case .once: UV_RUN_ONCE
    case .noWait: UV_RUN_NOWAIT
    }
  }
}
