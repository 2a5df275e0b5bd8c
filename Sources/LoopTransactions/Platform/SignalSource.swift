import CUV

/// A `uv_signal_t`.
///
/// Its signal gets back its earlier disposition when the last source of the
/// process ends, and in a forked child.
struct SignalSource {
  private let watch: UnsafeMutablePointer<lt_signal_watch>
  private let handle: UVHandle<uv_signal_t>

  /// Starts calling `caught` for `owner` when the process receives `signal`.
  init(
    _ signal: Int32,
    loop: UVLoop,
    owner: AnyObject,
    caught: SignalCallback
  ) throws(UVError) {
    let handle = try UVHandle<uv_signal_t>("EventLoop.onSignal") {
      uv_signal_init(loop.pointer, $0)
    }
    handle.setOwner(owner)
    let watch = UnsafeMutablePointer<lt_signal_watch>.allocate(capacity: 1)
    let result = lt_signal_start(watch, handle.pointer, caught, signal)
    guard result == 0 else {
      watch.deallocate()
      handle.close()
      throw UVError(code: result, operation: "EventLoop.onSignal")
    }
    self.watch = watch
    self.handle = handle
  }

  /// Whether catching `signal` takes it from no other code: the signal has its
  /// default disposition, or other sources of the process catch it.
  static func isFree(_ signal: Int32) -> Bool { lt_signal_is_free(signal) != 0 }

  /// How often the signal has been caught. Any thread may catch it meanwhile.
  var caughtCount: UInt32 { lt_signal_caught(handle.pointer) }

  /// The number of the caught signal that is being delivered, from 0.
  var deliveredNumber: UInt32 { lt_signal_dispatched(handle.pointer) }

  /// Sets whether the loop's run waits for the signal.
  func keepsLoopAlive(_ yes: Bool) { handle.keepsLoopAlive(yes) }

  /// The address of the handle.
  var address: UnsafeMutableRawPointer { handle.address }

  /// Detaches the owner. Signals have no effect any more.
  func detachOwner() { handle.setOwner(nil) }

  /// Stops catching the signal. The loop's next tick frees the handle.
  func close() {
    lt_signal_end(watch)
    watch.deallocate()
    handle.close()
  }
}
