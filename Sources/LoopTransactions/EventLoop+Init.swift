// The only file that depends on every folder: it assembles a loop.
extension EventLoop {
  /// Creates a loop that belongs to the calling thread.
  ///
  /// - Throws: `UVError` if the system is out of descriptors or memory.
  public convenience init() throws(UVError) {
    try self.init(uv: .open(), ownsLoop: true)
  }

  /// Adopts a libuv loop that another library or the program owns.
  ///
  /// Call on the thread that runs the loop. The owner may keep running it with
  /// `uv_run`, and transactions are performed in that run. `run()` runs the
  /// loop as well, and also calls `entry` and `exit` observers. An owner that
  /// polls `uv_backend_fd` itself, with the timeout of `uv_backend_timeout`, is
  /// woken by posts too. Call `close()` before the owner closes the loop.
  ///
  /// If a host keeps running the loop in a forked child, it must call
  /// `uv_loop_fork` first, as libuv requires. Otherwise the child consumes the
  /// parent's events, including wakes. Pending transactions and timers stay
  /// with the parent: the child performs no transaction and fires no timer.
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
      parts: { transactions in
        // Order: operations end first, so their completions can still enqueue
        // elements and commit.
        [
          UnfinishedTransactions(), QueueList(), transactions, ObservedTargets(),
          TransactionGroup(), IdleBlocks(), DescriptorList(), SignalList(),
        ]
      }
    )
  }
}
