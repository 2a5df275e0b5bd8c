import CUV

/// A `uv_poll_t`, and the identity of the file that its descriptor referred to
/// when the poll began.
struct DescriptorPoll {
  let descriptor: Int32
  private let identity: DescriptorIdentity
  private let handle: UVHandle<uv_poll_t>

  /// Creates a poll of `descriptor`, which is not started. Sets the descriptor
  /// to non-blocking mode, unless other processes may share it.
  init(_ descriptor: Int32, loop: UVLoop, owner: AnyObject) throws(UVError) {
    identity = try DescriptorIdentity(of: descriptor)
    handle = try UVHandle("EventLoop.watch") { lt_poll_init(loop.pointer, $0, descriptor) }
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

  /// Starts polling for `events`, or changes them. Three system calls.
  ///
  /// - Throws: `UVError` `EBADF` if the descriptor was closed or reused, `EPERM`
  ///   if it was reused for a regular file, `EEXIST` if other code polls it.
  func start(_ events: Int32, _ ready: PollCallback) throws(UVError) {
    guard isIntact else { throw UVError(code: UV_EBADF.rawValue, operation: "EventLoop.watch") }
    try check(lt_poll_start(handle.pointer, events, ready), "EventLoop.watch")
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

/// A descriptor of the library that it polls.
///
/// A bug elsewhere in the process, such as closing a descriptor twice, may close
/// it. Its number may then become another file, which belongs to other code.
final class OwnedDescriptor {
  let number: Int32
  private let identity: DescriptorIdentity
  private var isClosed = false

  /// Takes ownership of `number`, also if this throws.
  init(_ number: Int32) throws(UVError) {
    do throws(UVError) { identity = try DescriptorIdentity(of: number) } catch {
      lt_descriptor_close(number)
      throw error
    }
    self.number = number
  }

  deinit { close() }

  /// Whether the number still refers to the same file.
  // An error means that the descriptor is not open.
  var isIntact: Bool { !isClosed && (try? DescriptorIdentity(of: number)) == identity }

  /// Whether both refer to one file, if the system can tell.
  func isSameFile(as other: OwnedDescriptor) -> Bool { identity == other.identity }

  /// Closes the descriptor, unless other code has closed it.
  func close() {
    if isIntact { lt_descriptor_close(number) }
    isClosed = true
  }
}

/// The condition of a descriptor, as `poll` and `FIONREAD` report it now.
struct DescriptorCondition {
  /// Whether neither side will send or receive any more.
  let isHungUp: Bool
  /// Whether there is an error that the next read or write returns.
  let hasError: Bool
  /// Whether it has an error and can receive after it: a socket that is not hung
  /// up.
  let isRecoverable: Bool
  /// The number of bytes to read. A datagram socket counts only its next
  /// datagram.
  let unread: Int32

  /// Whether there is unread data.
  var hasUnread: Bool { unread > 0 }

  /// Asks the system. Two system calls, and one more if there is an error.
  init(of descriptor: Int32) {
    let found = lt_descriptor_condition(descriptor)
    isHungUp = found.is_hung_up != 0
    hasError = found.has_error != 0
    isRecoverable = found.is_recoverable != 0
    unread = found.unread
  }
}

/// Reports changes of descriptors that have failed or hung up: a new error, a
/// new datagram, or the end of the hang-up.
///
/// Such a descriptor is ready without end, so the loop cannot poll it for
/// readiness. This is an edge-triggered epoll instance, which the loop polls.
/// Linux only.
struct DescriptorChanges {
  private let set: Int32
  private let handle: UVHandle<uv_poll_t>

  /// Calls `changed` for `owner`, which is not retained, when `take()` returns
  /// a descriptor. Does not keep the loop's run going.
  init(loop: UVLoop, owner: AnyObject, changed: PollCallback) throws(UVError) {
    let set = try check(lt_changes_open(), "EventLoop.watch")
    do {
      handle = try UVHandle("EventLoop.watch") { uv_poll_init(loop.pointer, $0, set) }
    } catch {
      lt_descriptor_close(set)
      throw error
    }
    self.set = set
    handle.setOwner(owner)
    handle.keepsLoopAlive(false)
    uv_poll_start(handle.pointer, Int32(UV_READABLE.rawValue), changed)
  }

  /// Adds `descriptor`, whose present state counts as a change. Returns false
  /// if the system refuses it.
  func add(_ descriptor: Int32) -> Bool { lt_changes_add(set, descriptor) == 0 }

  /// Removes `descriptor`, which may be closed.
  func remove(_ descriptor: Int32) { lt_changes_remove(set, descriptor) }

  /// Returns a descriptor that has changed since it was returned, if any.
  func take() -> Int32? {
    let taken = lt_changes_take(set)
    return taken >= 0 ? taken : nil
  }

  /// Sets whether the loop's run waits for a change.
  func keepsLoopAlive(_ yes: Bool) { handle.keepsLoopAlive(yes) }

  /// The address of the handle.
  var address: UnsafeMutableRawPointer { handle.address }

  /// Detaches the owner. The next change stops the poll.
  func detachOwner() { handle.setOwner(nil) }

  /// Stops polling in a child process, unless it shares the poll with the
  /// parent.
  func stopInChild(sharesPoll: Bool) { handle.stopInChild(sharesPoll: sharesPoll) }

  /// Closes the handle and the set.
  func close() {
    handle.close()
    lt_descriptor_close(set)
  }
}
