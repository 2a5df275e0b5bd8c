package import CUV

/// The mechanism by which a port wakes its loop.
package enum WakeMethod: Sendable, CaseIterable {
  /// An eventfd that the loop polls. Linux only.
  case descriptor
  /// libuv's async handle. Available on all systems.
  case async

  /// The best method of this system. On one CPU, the async handle of libuv 1.44
  /// costs 15 times as much as the descriptor, because it spins while a sender
  /// is preempted.
  package static var best: WakeMethod {
    #if os(Linux)
      .descriptor
    #else
      .async
    #endif
  }
}

/// The only handle of a loop that other threads may use, through `send()`.
package enum WakeSource {
  case descriptor(Int32, UVHandle<uv_poll_t>)
  case async(UVHandle<uv_async_t>)

  /// Opens the source on `loop`, which calls the matching function after a
  /// `send()`. The source does not keep the loop alive.
  package init(
    _ method: WakeMethod,
    loop: UVLoop,
    descriptorWoke: PollCallback,
    asyncWoke: AsyncCallback
  ) throws(UVError) {
    // An adopted loop may be the first one of this library.
    try check(lt_fill_standard_streams(), "EventLoop.init")
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

  /// Makes a blocked loop begin a tick, with one kernel write.
  ///
  /// Call from any thread, and from a signal handler, while the source is open.
  package func send() {
    switch self {
    case .descriptor(let descriptor, _): lt_eventfd_write(descriptor)
    case .async(let handle): uv_async_send(handle.pointer)
    }
  }

  /// Resets the descriptor after a `send()`. An async handle resets itself.
  package func acknowledge() {
    if case .descriptor(let descriptor, _) = self { _ = lt_counter_read(descriptor) }
  }

  /// Makes each `send()` a separate event, so that the loop need not read the
  /// descriptor. Returns whether this succeeded. Call after the first wake has
  /// arrived, because `loop` must already watch the descriptor.
  ///
  /// Modelled on mio's waker.
  package func enableEdgeTriggeredWakes(on loop: UVLoop) -> Bool {
    guard case .descriptor(let descriptor, _) = self else { return false }
    return loop.enableEdgeTriggering(of: descriptor)
  }

  /// Stops polling in a child process, unless the child shares the kernel's
  /// poll with the parent.
  func stopInChild(of loop: UVLoop) {
    switch self {
    case .descriptor(let descriptor, let handle):
      handle.stopInChild(of: loop, watching: descriptor)
    case .async(let handle): handle.keepsLoopAlive(false)
    }
  }

  /// Returns whether the kernel's poll in this child process is still shared
  /// with the parent. Has no effect on the parent, which reads a wake only once
  /// even if it is edge-triggered.
  func sharesPoll(of loop: UVLoop) -> Bool {
    switch self {
    case .descriptor(let descriptor, _): loop.sharesPoll(of: descriptor)
    case .async: loop.sharesPoll(of: loop.ownWakeDescriptor)
    }
  }

  /// Sets whether the loop's run waits for a wake.
  package func keepsLoopAlive(_ yes: Bool) {
    switch self {
    case .descriptor(_, let handle): handle.keepsLoopAlive(yes)
    case .async(let handle): handle.keepsLoopAlive(yes)
    }
  }

  /// The address of the handle.
  var address: UnsafeMutableRawPointer {
    switch self {
    case .descriptor(_, let handle): handle.address
    case .async(let handle): handle.address
    }
  }

  /// Whether the loop's owner has closed the handle.
  package var isClosing: Bool {
    switch self {
    case .descriptor(_, let handle): handle.isClosing
    case .async(let handle): handle.isClosing
    }
  }

  /// Sets the owner that the callback receives. With a nil owner, the callback
  /// does nothing.
  package func setOwner(_ owner: AnyObject?) {
    switch self {
    case .descriptor(_, let handle): handle.setOwner(owner)
    case .async(let handle): handle.setOwner(owner)
    }
  }

  /// Closes the handle and the descriptor. No thread may call `send()` any
  /// more.
  package func close() {
    switch self {
    case .descriptor(let descriptor, let handle):
      // Order: closing the handle first makes libuv forget the descriptor
      // before its number can be reused.
      handle.close()
      lt_descriptor_close(descriptor)
    case .async(let handle): handle.close()
    }
  }
}
