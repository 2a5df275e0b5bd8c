import CUV

/// A `uv_poll_t`, and the identity of the file that its descriptor referred to
/// when the poll began.
struct DescriptorPoll {
  let descriptor: Int32
  private let identity: DescriptorIdentity
  private let handle: UVHandle<uv_poll_t>

  /// Creates a poll of `descriptor`, which is not started. Sets the descriptor
  /// to non-blocking mode, as libuv does.
  init(_ descriptor: Int32, loop: UVLoop, owner: AnyObject) throws(UVError) {
    identity = try DescriptorIdentity(of: descriptor)
    handle = try UVHandle("EventLoop.watch") { uv_poll_init(loop.pointer, $0, descriptor) }
    self.descriptor = descriptor
    handle.setOwner(owner)
  }

  /// Whether the descriptor still refers to the same file.
  ///
  /// An inode number tells sockets, pipes and files apart. Descriptors such as
  /// an eventfd or a timerfd share one, so a change from one to another is not
  /// seen.
  // An error means that the descriptor is not open.
  var isIntact: Bool { (try? DescriptorIdentity(of: descriptor)) == identity }

  /// Starts polling for `events`, or changes them. Two system calls, and one
  /// more when the loop polls next.
  ///
  /// - Throws: `UVError` `EBADF` if the descriptor was closed or reused.
  ///   libuv would abort the process when it polls next.
  func start(_ events: Int32, _ ready: PollCallback) throws(UVError) {
    guard isIntact else { throw UVError(code: UV_EBADF.rawValue, operation: "EventLoop.watch") }
    try check(uv_poll_start(handle.pointer, events, ready), "EventLoop.watch")
  }

  /// Stops polling until the next `start`. One system call.
  func stop() { uv_poll_stop(handle.pointer) }

  /// Sets whether the loop's run waits for the poll.
  func keepsLoopAlive(_ yes: Bool) { handle.keepsLoopAlive(yes) }

  /// The address of the handle.
  var address: UnsafeMutableRawPointer { handle.address }

  /// Detaches the owner. The next event stops the poll.
  func detachOwner() { handle.setOwner(nil) }

  /// Stops polling in a child process, unless it shares the poll with the
  /// parent.
  func stopInChild(sharesPoll: Bool) { handle.stopInChild(sharesPoll: sharesPoll) }

  /// Stops polling at once. The loop's next tick frees the handle.
  func close() { handle.close() }
}

/// Identifies the file that a descriptor refers to.
struct DescriptorIdentity: Equatable {
  private let device: UInt64
  private let file: UInt64

  /// - Throws: `UVError` `EBADF` if `descriptor` is not open.
  init(of descriptor: Int32) throws(UVError) {
    var (device, file): (UInt64, UInt64) = (0, 0)
    try check(lt_descriptor_identity(descriptor, &device, &file), "EventLoop.watch")
    (self.device, self.file) = (device, file)
  }
}

/// The condition of a descriptor, as `poll` and `FIONREAD` report it now.
struct DescriptorCondition {
  /// Whether neither side will send or receive any more.
  let isHungUp: Bool
  /// Whether there is an error that the next read or write returns.
  let hasError: Bool
  /// Whether there is unread data.
  let hasUnread: Bool

  /// Asks the system. Two system calls.
  init(of descriptor: Int32) {
    let bits = lt_descriptor_condition(descriptor)
    isHungUp = bits & 1 != 0
    hasError = bits & 2 != 0
    hasUnread = bits & 4 != 0
  }
}
