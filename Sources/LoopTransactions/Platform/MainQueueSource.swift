import CUV

/// The process's main queue, as libdispatch provides it to run loops: a
/// descriptor that is readable when the queue has work, and a function that
/// performs the work.
struct MainQueueSource {
  private let descriptor: Int32
  private let handle: UVHandle<uv_poll_t>

  /// Creates a poll handle for the main queue's descriptor on `loop`. Returns
  /// nil if libdispatch does not provide a descriptor.
  init?(loop: UVLoop) throws(UVError) {
    let found = lt_main_queue_descriptor()
    if found == UVError.notSupported { return nil }
    let descriptor = try check(found, "MainQueueBridge.init")
    self.descriptor = descriptor
    self.handle = try UVHandle("MainQueueBridge.init") {
      uv_poll_init(loop.pointer, $0, descriptor)
    }
  }

  /// Starts calling `hasWork` when the queue has work. `owner` is not retained.
  func start(_ owner: AnyObject, _ hasWork: PollCallback) {
    handle.setOwner(owner)
    uv_poll_start(handle.pointer, Int32(UV_READABLE.rawValue), hasWork)
  }

  /// Performs the queue's pending work. Work added during this call makes the
  /// descriptor readable again.
  func drain() {
    // Order: read first, so that work added later signals the descriptor again.
    // Without the read, the poll would report the same work forever.
    _ = lt_counter_read(descriptor)
    lt_main_queue_drain()
  }

  /// Whether the queue has pending work.
  var hasWork: Bool {
    guard lt_counter_read(descriptor) > 0 else { return false }
    // Restored for the loop that performs the work. The value has no meaning.
    lt_eventfd_write(descriptor)
    return true
  }

  /// The handle's address.
  var address: UnsafeMutableRawPointer { handle.address }

  /// Sets whether the loop's run waits for the main queue.
  func keepsLoopAlive(_ yes: Bool) { handle.keepsLoopAlive(yes) }

  /// Stops polling in a child process, unless the child shares the kernel's
  /// poll with the parent.
  func stopInChild(of loop: UVLoop) { handle.stopInChild(of: loop, watching: descriptor) }

  /// Detaches the bridge. The next event stops the poll handle.
  func detachOwner() { handle.setOwner(nil) }

  /// Closes the handle. The descriptor belongs to libdispatch.
  func close() { handle.close() }
}
