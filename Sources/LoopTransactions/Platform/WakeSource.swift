package import CUV

/// How a port wakes its loop.
package enum WakeMethod: Sendable, CaseIterable {
  /// A descriptor of our own that the loop polls. Linux.
  case descriptor
  /// libuv's async handle. Everywhere.
  case async

  /// The best this system has. On one processor libuv 1.44's async handle costs
  /// 15 times the descriptor: it spins behind a sender that lost the processor.
  package static var best: WakeMethod {
    #if os(Linux)
      .descriptor
    #else
      .async
    #endif
  }
}

/// The one handle of a loop that other threads may touch, through `send()`.
package enum WakeSource {
  case descriptor(Int32, UVHandle<uv_poll_t>)
  case async(UVHandle<uv_async_t>)

  /// Opens the source on `loop`, which calls one of the two functions after a
  /// `send()`. Does not keep the loop alive.
  package init(
    _ method: WakeMethod,
    loop: UVLoop,
    descriptorWoke: PollCallback,
    asyncWoke: AsyncCallback
  ) throws(UVError) {
    switch method {
    case .descriptor: self = try .openDescriptor(loop, descriptorWoke)
    case .async:
      self = .async(
        try UVHandle("EventLoop.init") { uv_async_init(loop.pointer, $0, asyncWoke) }
      )
    }
    keepsLoopAlive(false)
  }

  private static func openDescriptor(
    _ loop: UVLoop,
    _ descriptorWoke: PollCallback
  ) throws(UVError) -> WakeSource {
    let descriptor = try check(lt_eventfd_open(), "EventLoop.init")
    do {
      let handle = try UVHandle<uv_poll_t>("EventLoop.init") {
        uv_poll_init(loop.pointer, $0, descriptor)
      }
      uv_poll_start(handle.pointer, Int32(UV_READABLE.rawValue), descriptorWoke)
      return .descriptor(descriptor, handle)
    } catch {
      lt_descriptor_close(descriptor)
      throw error
    }
  }

  /// Makes a blocked loop begin a tick: one kernel write.
  ///
  /// Call from any thread, and from a signal handler, while the source is open.
  package func send() {
    switch self {
    case .descriptor(let descriptor, _): lt_eventfd_write(descriptor)
    case .async(let handle): uv_async_send(handle.pointer)
    }
  }

  /// Takes back what `send()` wrote. The async handle did so itself.
  package func acknowledge() {
    if case .descriptor(let descriptor, _) = self { _ = lt_counter_read(descriptor) }
  }

  /// Spares the loop the reading of each `send()`, from now on: whether each is an
  /// event of its own. Call when one has arrived, so that `loop` watches.
  ///
  /// After mio's waker.
  package func enableEdgeTriggeredWakes(on loop: UVLoop) -> Bool {
    guard case .descriptor(let descriptor, _) = self else { return false }
    return loop.enableEdgeTriggering(of: descriptor)
  }

  /// Ends the watching in a child process, unless its poll is the parent's.
  func stopInChild(of loop: UVLoop) {
    switch self {
    case .descriptor(let descriptor, let handle):
      handle.stopInChild(of: loop, watching: descriptor)
    case .async(let handle): handle.keepsLoopAlive(false)
    }
  }

  /// Whether the loop's run waits for a wake.
  package func keepsLoopAlive(_ yes: Bool) {
    switch self {
    case .descriptor(_, let handle): handle.keepsLoopAlive(yes)
    case .async(let handle): handle.keepsLoopAlive(yes)
    }
  }

  /// The handle's address.
  var address: UnsafeMutableRawPointer {
    switch self {
    case .descriptor(_, let handle): handle.address
    case .async(let handle): handle.address
    }
  }

  /// Whether somebody else, the loop's owner, closed the handle.
  package var isClosing: Bool {
    switch self {
    case .descriptor(_, let handle): handle.isClosing
    case .async(let handle): handle.isClosing
    }
  }

  /// Lets the callback find `owner`; nil makes it do nothing.
  package func setOwner(_ owner: AnyObject?) {
    switch self {
    case .descriptor(_, let handle): handle.setOwner(owner)
    case .async(let handle): handle.setOwner(owner)
    }
  }

  /// Closes the handle, and the descriptor: nobody may `send()` any more.
  package func close() {
    switch self {
    case .descriptor(let descriptor, let handle):
      // Order: libuv forgets the descriptor in `uv_close`, before it is reused.
      handle.close()
      lt_descriptor_close(descriptor)
    case .async(let handle): handle.close()
    }
  }
}
