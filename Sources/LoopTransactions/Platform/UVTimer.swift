import CUV

/// A `uv_timer_t`, in milliseconds of the loop's clock.
struct UVTimer {
  private let handle: UVHandle<uv_timer_t>

  /// Creates a timer whose callback gets `owner`.
  init(loop: UVLoop, owner: AnyObject) {
    do {
      handle = try UVHandle("LoopTimer") { uv_timer_init(loop.pointer, $0) }
    } catch {
      // libuv documents no error here, because a timer is just a node in the
      // loop's heap.
      fatalError("\(error)")
    }
    handle.setOwner(owner)
  }

  /// Calls `fired` once, `timeout` milliseconds after the loop's current time.
  func start(timeout: UInt64, _ fired: TimerCallback) {
    uv_timer_start(handle.pointer, fired, timeout, 0)
  }

  /// Stops the timer until it is started again.
  func stop() { uv_timer_stop(handle.pointer) }

  /// Sets whether the loop's run waits for the timer.
  func keepsLoopAlive(_ yes: Bool) { handle.keepsLoopAlive(yes) }

  /// The address of the handle.
  var address: UnsafeMutableRawPointer { handle.address }

  /// Stops the timer. The loop's next tick frees it.
  func close() { handle.close() }
}
