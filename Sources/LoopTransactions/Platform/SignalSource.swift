import CUV

/// A `uv_signal_t`.
struct SignalSource {
  private let signal: Int32
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
    let result = SignalDispositions.shared.value.begin(signal) {
      uv_signal_start(handle.pointer, caught, signal)
    }
    guard result == 0 else {
      handle.close()
      throw UVError(code: result, operation: "EventLoop.onSignal")
    }
    self.signal = signal
    self.handle = handle
  }

  /// Sets whether the loop's run waits for the signal.
  func keepsLoopAlive(_ yes: Bool) { handle.keepsLoopAlive(yes) }

  /// The address of the handle.
  var address: UnsafeMutableRawPointer { handle.address }

  /// Detaches the owner. Signals have no effect any more.
  func detachOwner() { handle.setOwner(nil) }

  /// Stops catching the signal. The loop's next tick frees the handle.
  func close() {
    SignalDispositions.shared.value.end(signal, wasStopped: handle.isClosing) { handle.close() }
  }
}

/// The dispositions that signals had before this library caught them.
///
/// libuv sets a signal to its default when its last handle stops, even if other
/// code has set a disposition meanwhile. This restores that disposition or the
/// earlier one instead, unless other libuv handles of the process catch the
/// signal too.
private final class SignalDispositions: Sendable {
  private struct Caught {
    var count = 0
    // Nil if a libuv handle of another owner already caught the signal.
    var before: sigaction?
    // libuv's disposition.
    var handler: sigaction
  }

  // A new one in a forked child, where another thread may have held the lock.
  static let shared = ProcessWide { SignalDispositions() }

  private let caught = Locked<[Int32: Caught]>([:])

  /// Calls `start`, and stores the disposition that it replaces if it succeeds.
  func begin(_ signal: Int32, _ start: () -> Int32) -> Int32 {
    caught.withLock { caught in
      var (before, after) = (sigaction(), sigaction())
      lt_signal_read(signal, &before)
      let result = start()
      guard result == 0 else { return result }
      lt_signal_read(signal, &after)
      let isFirst = caught[signal] == nil && lt_signal_is_same(&before, &after) == 0
      let new = Caught(before: isFirst ? before : nil, handler: after)
      caught[signal, default: new].count += 1
      return 0
    }
  }

  /// Calls `stop`, and restores the disposition after the last handle.
  ///
  /// - Parameter wasStopped: Whether libuv stopped the handle earlier, so that
  ///   the disposition says nothing about other code.
  func end(_ signal: Int32, wasStopped: Bool, _ stop: () -> Void) {
    caught.withLock { caught in
      var (current, now) = (sigaction(), sigaction())
      lt_signal_read(signal, &current)
      stop()
      guard var entry = caught[signal] else { return }
      entry.count -= 1
      caught[signal] = entry.count > 0 ? entry : nil
      guard entry.count == 0 else { return }
      let isReplaced = !wasStopped && lt_signal_is_same(&entry.handler, &current) == 0
      guard var wanted = isReplaced ? current : entry.before else { return }
      lt_signal_read(signal, &now)
      if lt_signal_is_default(&now) != 0 { lt_signal_write(signal, &wanted) }
    }
  }
}
