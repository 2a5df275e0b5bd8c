import CUV

/// The process's main queue, as libdispatch offers it to run loops: a descriptor
/// that is readable when the queue has work, and a function that does it.
///
/// Two functions that CoreFoundation uses, which Dispatch exports and does not
/// declare; so they are looked up by name.
struct MainQueueSource {
  private typealias Handle = @convention(c) () -> Int32
  private typealias Drain = @convention(c) (UnsafeMutableRawPointer?) -> Void

  private let descriptor: Int32
  private let drainQueue: Drain
  private let handle: UVHandle<uv_poll_t>

  /// Polls the main queue's descriptor on `loop`; nil where libdispatch does not
  /// offer one.
  init?(loop: UVLoop) throws(UVError) {
    guard let handle = lt_symbol("_dispatch_get_main_queue_handle_4CF"),
      let drain = lt_symbol("_dispatch_main_queue_callback_4CF")
    else { return nil }
    drainQueue = unsafeBitCast(drain, to: Drain.self)
    let descriptor = unsafeBitCast(handle, to: Handle.self)()
    // Elsewhere than on Linux it is a Mach port.
    guard DeadlineSource.isSupported, descriptor >= 0 else { return nil }
    self.descriptor = descriptor
    self.handle = try UVHandle("MainQueueBridge.init") {
      uv_poll_init(loop.pointer, $0, descriptor)
    }
  }

  /// Calls `hasWork` when there is work, from now on. `owner` is not retained.
  func start(_ owner: AnyObject, _ hasWork: PollCallback) {
    handle.setOwner(owner)
    uv_poll_start(handle.pointer, Int32(UV_READABLE.rawValue), hasWork)
  }

  /// Does the work there is. What that adds makes the descriptor readable again.
  func drain() {
    // Order: read first. What comes later is signalled anew; unread, the poll would
    // report the same work for ever.
    _ = lt_counter_read(descriptor)
    drainQueue(nil)
  }

  /// The handle's address.
  var address: UnsafeMutableRawPointer { handle.address }

  /// Whether the loop's run waits for work.
  func keepsLoopAlive(_ yes: Bool) { handle.keepsLoopAlive(yes) }

  /// Ends the watching in a child process, unless its poll is the parent's.
  func stopInChild(of loop: UVLoop) { handle.stopInChild(of: loop, watching: descriptor) }

  /// Leaves the bridge: what comes from now on ends the watching.
  func leaveOwner() { handle.setOwner(nil) }

  /// Closes the handle. The descriptor is libdispatch's.
  func close() { handle.close() }
}
