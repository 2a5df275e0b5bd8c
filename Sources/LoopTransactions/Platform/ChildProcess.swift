import CUV

/// A child of this process.
///
/// The number of a process is free for another one as soon as any code has
/// reaped it. So the number alone identifies a child only as long as no other
/// code waits for it. A pidfd always does.
struct ChildProcess {
  let identifier: Int32

  /// - Throws: `UVError` `ESRCH` if `identifier` is not a child that can be
  ///   waited for.
  init(_ identifier: Int32) throws(UVError) {
    // Zero and negative numbers mean groups of processes.
    let result = identifier > 0 ? lt_child_check(identifier, -1) : UV_EINVAL.rawValue
    try check(result, "EventLoop.onExit")
    self.identifier = identifier
  }

  /// The signal that the process receives when a child ends.
  static var signal: Int32 { SIGCHLD }

  /// Opens a pidfd. Returns nil if the system has no pidfds that can be waited
  /// for, or does not permit them.
  ///
  /// - Parameter old: An earlier handle of the child, which may be closed.
  /// - Throws: `UVError` `ESRCH` if other code has reaped the child.
  func openHandle(like old: OwnedDescriptor?) throws(UVError) -> OwnedDescriptor? {
    let handle: OwnedDescriptor
    do throws(UVError) {
      // Closes the descriptor if one of the checks below fails.
      handle = try OwnedDescriptor(try check(lt_pidfd_open(identifier), "EventLoop.onExit"))
      try check(lt_child_check(identifier, handle.number), "EventLoop.onExit")
    } catch {
      guard Self.isRefusal(error) else { throw error }
      return nil
    }
    if let old, !handle.isSameFile(as: old) {
      throw UVError(code: UV_ESRCH.rawValue, operation: "EventLoop.onExit")
    }
    return handle
  }

  private static func isRefusal(_ error: UVError) -> Bool {
    error.code != UV_ESRCH.rawValue && DeadlineSource.isRefusal(error)
  }

  /// Whether `error` means that the process is not a child any more.
  static func isGone(_ error: UVError) -> Bool { error.code == UV_ESRCH.rawValue }

  /// The answer of the system about a child.
  enum Condition {
    case running
    case exited(Int32)
    case signalled(Int32)
    /// Other code has reaped the child.
    case unknown
    /// Other code has closed or reused the handle's descriptor.
    case lost
  }

  /// Reaps the child if it has ended: by `handle`, or by its number if there is
  /// none.
  ///
  /// Pidfds have an inode number each since Linux 6.9. On older systems they share
  /// one with eventfds; `lt_child_reap` then notices the pidfd of another child.
  func reap(by handle: OwnedDescriptor?) -> Condition {
    guard let handle else { return reap(-1) }
    return handle.isIntact ? reap(handle.number) : .lost
  }

  private func reap(_ descriptor: Int32) -> Condition {
    var value: Int32 = 0
    switch lt_child_reap(identifier, descriptor, &value) {
    case 0: return .running
    case 1: return .exited(value)
    case 2: return .signalled(value)
    case 3: return .unknown
    default: return .lost
    }
  }
}
