import CUV

/// One `uv_timer_t`, told in absolute milliseconds of the loop's clock.
struct UVTimer {
  private let handle: UVHandle<uv_timer_t>

  /// Makes a timer that reports to `owner`.
  init(loop: UVLoop, owner: AnyObject) {
    do {
      handle = try UVHandle("LoopTimer") { uv_timer_init(loop.pointer, $0) }
    } catch {
      // libuv documents no failure: a timer is a node in the loop's heap.
      fatalError("\(error)")
    }
    handle.setOwner(owner)
  }

  /// Calls `fired` `timeout` milliseconds after the loop's own time.
  func start(timeout: UInt64, _ fired: TimerCallback) {
    uv_timer_start(handle.pointer, fired, timeout, 0)
  }

  /// Keeps the timer from firing until it is started again.
  func stop() { uv_timer_stop(handle.pointer) }

  /// Whether the loop's run waits for the timer.
  func keepsLoopAlive(_ yes: Bool) { handle.keepsLoopAlive(yes) }

  /// The handle's address.
  var address: UnsafeMutableRawPointer { handle.address }

  /// Stops the timer; the loop's next tick frees it.
  func close() { handle.close() }
}
