// The one file that knows every folder: it puts a loop together.
extension EventLoop {
  /// Makes a loop of its own that belongs to the calling thread.
  ///
  /// - Throws: `UVError` if the system is out of descriptors or memory.
  public convenience init() throws(UVError) {
    try self.init(uv: .open(), ownsLoop: true)
  }

  /// Joins a loop that belongs to somebody else, on the thread that runs it.
  ///
  /// The owner may run the loop by `uv_run` as before, and transactions are
  /// performed in it; `run()` does the same and tells `entry` and `exit` too. An
  /// owner that waits for `uv_backend_fd` itself, as long as `uv_backend_timeout`
  /// says, is woken by posts likewise.
  /// Call `close()` before the owner closes the loop.
  ///
  /// A child process whose host runs the loop on must call `uv_loop_fork` before,
  /// as libuv requires: without it the child takes events, wakes among them, from
  /// the parent. Nothing that was committed is performed in the child, and no timer
  /// fires: that is the parent's.
  ///
  /// - Parameter loop: The address of an initialised `uv_loop_t`.
  /// - Throws: `UVError` if the system is out of descriptors or memory.
  public convenience init(adopting loop: UnsafeMutableRawPointer) throws(UVError) {
    try self.init(uv: UVLoop(address: loop), ownsLoop: false)
    settleForHost()
  }

  package convenience init(wakeMethod: WakeMethod, time: VirtualTime? = nil) throws(UVError) {
    try self.init(uv: .open(), ownsLoop: true, wakeMethod: wakeMethod, time: time)
  }

  private convenience init(
    uv: UVLoop,
    ownsLoop: Bool,
    wakeMethod: WakeMethod = .best,
    time: VirtualTime? = nil
  ) throws(UVError) {
    try self.init(
      uv: uv,
      ownsLoop: ownsLoop,
      wakeMethod: wakeMethod,
      time: time,
      orphanedJobs: OrphanedJobs { body in OperationScheduler.shared.add { _ in body() } },
      parts: { core in
        let commits = TransactionSet(core: core)
        // Order: what an operation's completion enqueues or commits comes behind it.
        let parts: [any LoopPart] = [
          UnfinishedTransactions(), QueueList(), commits, ObservedTargets(), TransactionGroup(),
          RetryTimer(),
        ]
        return (commits, parts)
      }
    )
  }
}
