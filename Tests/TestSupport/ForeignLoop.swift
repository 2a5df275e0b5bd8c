internal import CTestSupport

/// A libuv loop that belongs to a host, not to this library.
package final class ForeignLoop {
  /// The address of the `uv_loop_t`.
  package let address: UnsafeMutableRawPointer

  /// Opens a libuv loop.
  package init() {
    guard let address = ct_loop_open() else { fatalError("ForeignLoop: uv_loop_init failed") }
    self.address = address
  }

  /// The run mode.
  package enum Mode: Int32, CaseIterable, Sendable {
    case whole, once, noWait
  }

  /// Runs the loop with `uv_run`, like its owner. Returns true if active
  /// handles are left.
  @discardableResult
  package func run(_ mode: Mode = .whole) -> Bool { ct_loop_run(address, mode.rawValue) != 0 }

  /// Waits like an owner that polls libuv's descriptor itself. Returns true if
  /// the loop has work to do within 10 s.
  package func wait() -> Bool { ct_loop_wait(address, 10_000) }

  /// Makes one tick of the libuv loop at `address`, even within another tick.
  package static func tick(_ address: UnsafeMutableRawPointer) {
    _ = ct_loop_run(address, Mode.noWait.rawValue)
  }

  /// Stops the loop with `uv_stop`, like its owner.
  package func stop() { Self.stop(address) }

  /// Stops the libuv loop at `address` with `uv_stop`.
  package static func stop(_ address: UnsafeMutableRawPointer) { ct_loop_stop(address) }

  /// Makes the inherited loop usable in a child process, with `uv_loop_fork`.
  package func takeOver() {
    let result = ct_loop_fork(address)
    guard result == 0 else { fatalError("ForeignLoop: uv_loop_fork failed: \(result)") }
  }

  /// libuv's own time, in milliseconds.
  package var milliseconds: UInt64 { ct_loop_now(address) }

  /// The number of handles of `kind` on the loop, except libuv's internal
  /// handles.
  package func handleCount(_ kind: ForeignHandle.Kind) -> Int {
    Int(ct_loop_handles(address, ct_kind(kind.rawValue)))
  }

  /// Closes the loop. Returns false if a handle on it is still open.
  package func close() -> Bool {
    _ = run(.noWait)
    return ct_loop_close(address) == 0
  }

  /// Closes the loop and every handle on it, including handles of other owners.
  package func tearDown() -> Bool { ct_loop_tear_down(address) == 0 }
}

/// A raw libuv handle that calls a closure.
package final class ForeignHandle {
  /// The libuv type of the handle.
  package enum Kind: UInt32, CaseIterable, Sendable {
    case timer, idle, prepare, check, async, poll
  }

  private var handle: OpaquePointer?
  private let body: (ForeignHandle) -> Void
  private var onClose: (() -> Void)?

  /// Creates a handle on the libuv loop at `loop`. The handle is not started,
  /// and must be closed.
  package init(
    _ kind: Kind,
    on loop: UnsafeMutableRawPointer,
    _ body: @escaping (ForeignHandle) -> Void
  ) {
    self.body = body
    let context = Unmanaged.passRetained(self).toOpaque()
    handle = ct_handle_open(loop, ct_kind(kind.rawValue), handleCalled, context)
  }

  /// Starts the handle.
  @discardableResult
  package func start(afterMilliseconds timeout: UInt64 = 0) -> ForeignHandle {
    if let handle { ct_handle_start(handle, timeout) }
    return self
  }

  /// Stops the handle, so that it does not keep the loop alive.
  package func stop() { if let handle { ct_handle_stop(handle) } }

  /// Sets whether the handle keeps the loop alive.
  package func keepsLoopAlive(_ yes: Bool) { if let handle { ct_handle_ref(handle, yes) } }

  /// Makes an async or poll handle call its closure.
  package func send() { if let handle { ct_handle_send(handle) } }

  /// Closes the handle, and calls `closed` in the close callback. Closing again
  /// does nothing.
  package func close(_ closed: (() -> Void)? = nil) {
    guard let handle else { return }
    self.handle = nil
    onClose = closed
    ct_handle_close(handle, handleClosed, Unmanaged.passUnretained(self).toOpaque())
  }

  fileprivate func call() { body(self) }

  fileprivate func closed() { onClose?() }
}

private func handleCalled(_ context: UnsafeMutableRawPointer?) {
  guard let context else { return }
  Unmanaged<ForeignHandle>.fromOpaque(context).takeUnretainedValue().call()
}

private func handleClosed(_ context: UnsafeMutableRawPointer?) {
  guard let context else { return }
  Unmanaged<ForeignHandle>.fromOpaque(context).takeRetainedValue().closed()
}
