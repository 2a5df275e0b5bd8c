import CUV

/// A child of this process.
struct ChildProcess {
  let identifier: Int32

  /// - Throws: `UVError` `ESRCH` if `identifier` is not a child that can be
  ///   waited for.
  init(_ identifier: Int32) throws(UVError) {
    // Zero and negative numbers mean groups of processes.
    try check(identifier > 0 ? lt_child_check(identifier) : UV_EINVAL.rawValue, "EventLoop.onExit")
    self.identifier = identifier
  }

  /// Opens a pidfd, which is readable when the child has ended.
  func openDescriptor() throws(UVError) -> Int32 {
    try check(lt_pidfd_open(identifier), "EventLoop.onExit")
  }

  /// Closes a pidfd.
  static func closeDescriptor(_ descriptor: Int32) { lt_descriptor_close(descriptor) }

  /// The signal that the process receives when a child ends.
  static var signal: Int32 { SIGCHLD }

  /// How a child ended.
  enum Ending {
    case exited(Int32)
    case signalled(Int32)
    case unknown
  }

  /// Reaps the child if it has ended. Returns nil while it runs.
  func reap() -> Ending? {
    var value: Int32 = 0
    switch lt_child_reap(identifier, &value) {
    case 0: return nil
    case 1: return .exited(value)
    case 2: return .signalled(value)
    default: return .unknown
    }
  }
}
