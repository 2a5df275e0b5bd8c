internal import CTestSupport

/// A libuv loop that belongs to somebody else, as a host's does.
package final class ForeignLoop {
  /// The address of the `uv_loop_t`.
  package let address: UnsafeMutableRawPointer

  /// A new libuv loop.
  package init() {
    guard let address = ct_loop_open() else { fatalError("ForeignLoop: no libuv loop is left") }
    self.address = address
  }

  /// How much of the loop `run` does.
  package enum Mode: Int32, CaseIterable, Sendable {
    case whole, once, noWait
  }

  /// Runs the loop as its owner does, by `uv_run`; whether something is left.
  @discardableResult
  package func run(_ mode: Mode = .whole) -> Bool { ct_loop_run(address, mode.rawValue) != 0 }

  /// Waits as an owner does that polls libuv's descriptor itself; whether there was
  /// something to do within 10 s.
  package func wait() -> Bool { ct_loop_wait(address, 10_000) }

  /// Makes a tick of the libuv loop at `address`, from within another, too.
  package static func tick(_ address: UnsafeMutableRawPointer) {
    _ = ct_loop_run(address, Mode.noWait.rawValue)
  }

  /// Stops the loop as its owner does, by `uv_stop`.
  package func stop() { Self.stop(address) }

  /// Stops the libuv loop at `address`, by `uv_stop`.
  package static func stop(_ address: UnsafeMutableRawPointer) { ct_loop_stop(address) }

  /// Makes the loop a child process's own, by `uv_loop_fork`.
  package func takeOver() {
    let result = ct_loop_fork(address)
    guard result == 0 else { fatalError("ForeignLoop: uv_loop_fork said \(result)") }
  }

  /// libuv's own time, in milliseconds.
  package var milliseconds: UInt64 { ct_loop_now(address) }

  /// How many handles of `kind` there are on the loop, libuv's own apart.
  package func handleCount(_ kind: ForeignHandle.Kind) -> Int {
    Int(ct_loop_handles(address, ct_kind(kind.rawValue)))
  }

  /// Closes the loop; whether every handle on it was closed.
  package func close() -> Bool {
    _ = run(.noWait)
    return ct_loop_close(address) == 0
  }

  /// Closes the loop with every handle on it, whoever made them.
  package func tearDown() -> Bool { ct_loop_tear_down(address) == 0 }
}

/// A raw libuv handle, with a closure to call.
package final class ForeignHandle {
  /// What libuv calls the handle.
  package enum Kind: UInt32, CaseIterable, Sendable {
    case timer, idle, prepare, check, async, poll
  }

  private var handle: OpaquePointer?
  private let body: (ForeignHandle) -> Void
  private var onClose: (() -> Void)?

  /// A handle on the libuv loop at `loop`, not started yet; close it.
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

  /// Stops the handle: nothing waits for it any more.
  package func stop() { if let handle { ct_handle_stop(handle) } }

  /// Whether the loop's run waits for the handle.
  package func keepsLoopAlive(_ yes: Bool) { if let handle { ct_handle_ref(handle, yes) } }

  /// Makes an async or poll handle call back.
  package func send() { if let handle { ct_handle_send(handle) } }

  /// Closes the handle, and calls `closed` from the close callback. Closing
  /// again does nothing.
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
