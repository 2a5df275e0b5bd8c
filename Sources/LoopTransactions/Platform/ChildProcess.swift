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
  func openHandle(like old: ChildHandle?) throws(UVError) -> ChildHandle? {
    let descriptor: Int32
    do { descriptor = try check(lt_pidfd_open(identifier), "EventLoop.onExit") } catch {
      guard Self.isRefusal(error) else { throw error }
      return nil
    }
    // Closes the descriptor if one of the checks below fails.
    guard let handle = ChildHandle(descriptor) else { return nil }
    do { try check(lt_child_check(identifier, descriptor), "EventLoop.onExit") } catch {
      guard Self.isRefusal(error) else { throw error }
      return nil
    }
    if let old, !handle.isSameProcess(as: old) {
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
    /// Other code has closed or reused the handle's descriptors.
    case lost
  }

  /// Reaps the child if it has ended: by `handle`, or by its number if there is
  /// none.
  func reap(by handle: ChildHandle?) -> Condition {
    guard let handle else { return reap(-1) }
    guard let descriptor = handle.intactDescriptor else { return .lost }
    return reap(descriptor)
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

/// A pidfd, which is readable when its process has ended.
///
/// It has two descriptors. A bug elsewhere in the process, such as closing a
/// descriptor twice, may close the polled one. The kernel polls a file until its
/// last descriptor is closed, so the end of the child is still reported, and the
/// other descriptor identifies the child.
final class ChildHandle {
  /// The descriptor to poll.
  let descriptor: Int32
  // Nil if the system was out of descriptors.
  private let spare: Int32?
  private let identity: DescriptorIdentity
  private var isClosed = false

  /// Takes ownership of `descriptor`. Returns nil and closes it if the system
  /// does not identify its file.
  fileprivate init?(_ descriptor: Int32) {
    // try?: an error means the same as nil.
    guard let identity = try? DescriptorIdentity(of: descriptor) else {
      lt_descriptor_close(descriptor)
      return nil
    }
    self.descriptor = descriptor
    self.identity = identity
    let spare = lt_descriptor_duplicate(descriptor)
    self.spare = spare >= 0 ? spare : nil
  }

  deinit { close() }

  /// A descriptor that still refers to the pidfd.
  ///
  /// Pidfds have an inode number each since Linux 6.9. On older systems they share
  /// one with eventfds; `lt_child_reap` then notices the pidfd of another child.
  var intactDescriptor: Int32? { isClosed ? nil : intactDescriptors.first }

  private var intactDescriptors: [Int32] {
    // try?: an error means that the descriptor is not open.
    [descriptor, spare].compactMap { $0 }.filter { (try? DescriptorIdentity(of: $0)) == identity }
  }

  /// Whether both refer to one process, if the system can tell.
  func isSameProcess(as other: ChildHandle) -> Bool { identity == other.identity }

  /// Closes the descriptors, except those that refer to another file by now.
  func close() {
    guard !isClosed else { return }
    for descriptor in intactDescriptors { lt_descriptor_close(descriptor) }
    isClosed = true
  }
}
