import CUV

/// A libuv loop, by address, and what is asked of it.
package struct UVLoop {
  let pointer: UnsafeMutablePointer<uv_loop_t>

  /// The loop at `address`, which somebody initialised.
  package init(address: UnsafeMutableRawPointer) {
    pointer = address.assumingMemoryBound(to: uv_loop_t.self)
  }

  private init(pointer: UnsafeMutablePointer<uv_loop_t>) { self.pointer = pointer }

  /// Makes a loop of our own.
  static func open() throws(UVError) -> UVLoop {
    let pointer = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
    let result = uv_loop_init(pointer)
    guard result == 0 else {
      pointer.deallocate()
      throw UVError(code: result, operation: "EventLoop.init")
    }
    return UVLoop(pointer: pointer)
  }

  /// Closes and frees a loop of our own whose handles are all closed.
  func close() throws(UVError) {
    try check(uv_loop_close(pointer), "EventLoop.close")
    pointer.deallocate()
  }

  /// Runs until nothing is left or it is stopped; true if something is left.
  @discardableResult
  func run(_ mode: RunMode) -> Bool { uv_run(pointer, mode.libuv) != 0 }

  /// Makes the run under way, or else the next one, return.
  func stop() { uv_stop(pointer) }

  /// Whether the run under way, or else the next one, has been told to stop.
  var isStopping: Bool { pointer.pointee.stop_flag != 0 }

  /// Whether an active handle or a request is left to wait for.
  package var isAlive: Bool { uv_loop_alive(pointer) != 0 }

  /// The loop's own clock, in milliseconds; stands still within a tick.
  var milliseconds: UInt64 { uv_now(pointer) }

  /// Adds up the time that polls block, from now on. There is no way back.
  func measureIdleTime() { _ = lt_measure_idle(pointer) }

  /// How long polls have blocked, in nanoseconds, since that is measured.
  var idleNanoseconds: UInt64 { uv_metrics_idle_time(pointer) }

  /// The descriptor that is readable when there are events for the loop.
  var backendDescriptor: Int32 { uv_backend_fd(pointer) }

  /// How long the next poll may block, in milliseconds by the loop's own clock; -1:
  /// without end.
  package var backendTimeout: Int32 { uv_backend_timeout(pointer) }

  /// Brings the loop's own clock up to date.
  func updateTime() { uv_update_time(pointer) }
}

extension UVLoop {
  /// Lets the kernel's poll report `descriptor`, which it watches, once each time
  /// that something happens to it; whether it does.
  func enableEdgeTriggering(of descriptor: Int32) -> Bool { lt_watch_edges(pointer, descriptor) == 0 }

  /// Whether the kernel's poll, in a child process, is the parent's still.
  ///
  /// One that `uv_loop_fork` made watches nothing until it is waited for. Where
  /// this says yes, `descriptor` is reported once each time, and can not make the
  /// child spin.
  func sharesPoll(of descriptor: Int32) -> Bool { enableEdgeTriggering(of: descriptor) }

  /// The types of the open handles that are not in `ours`, sorted.
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

/// How much of the loop one `uv_run` does.
enum RunMode {
  /// Until nothing is left to wait for, or stopped.
  case whole
  /// One tick that may block.
  case once
  /// One tick that does not block.
  case noWait

  fileprivate var libuv: uv_run_mode {
    switch self {
    case .whole: UV_RUN_DEFAULT
    case .once: UV_RUN_ONCE
    case .noWait: UV_RUN_NOWAIT
    }
  }
}
