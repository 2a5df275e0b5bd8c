// A loop as an executor. C1.
extension LoopPort: SerialExecutor, TaskExecutor {
  /// Hands a job that is isolated to the loop to it, where it runs like a post: in
  /// the order it came, under the tick's budget. A job that another of the tick has
  /// enqueued runs in the same tick, as long as there are at most 32 of them and no
  /// other post waits before it.
  ///
  /// Call from any thread; the concurrency runtime does. Allocates nothing. An actor
  /// is pinned to the loop by keeping its port and naming it as its executor. A task
  /// that prefers the port runs on the loop, too, wherever it is isolated to nothing;
  /// it then calls such an actor without leaving the thread.
  ///
  /// ```swift
  /// actor Session {
  ///   nonisolated let port: LoopPort
  ///   nonisolated var unownedExecutor: UnownedSerialExecutor { port.asUnownedSerialExecutor() }
  ///   init(on port: LoopPort) { self.port = port }
  /// }
  /// ```
  ///
  /// A job can not be refused. What comes once the loop is being closed waits until
  /// it is closed, and then runs on a worker of `OperationScheduler.shared`, one job
  /// at a time, in the order they came: the actor stays isolated and its tasks end,
  /// but the loop's thread is not theirs any more. The first of them is told on
  /// standard error. In a child process, which no task survives into, it traps.
  ///
  /// After SwiftNIO's event loops, which drop such a job.
  ///
  /// - Complexity: O(1).
  public func enqueue(_ job: consuming ExecutorJob) {
    let word = unsafeBitCast(UnownedJob(job), to: UInt.self)
    // A task that prefers the loop, and is called from there to an actor.
    let prefersLoop = core.isOnThread && core.runningTask == word
    enqueue(PostedItem(prefersLoop ? .isolatedTask : .isolated, word, for: self))
  }

  // Both protocols require a function of one name. By which of the two a job comes
  // tells whether it is isolated to the loop. Taken for isolated, what is not would be
  // enqueued anew at each call of a function without isolation: a tick each.

  /// Hands a job of a task that prefers the loop to it, likewise.
  ///
  /// Call from any thread; the concurrency runtime does.
  ///
  /// - Complexity: O(1).
  @_documentation(visibility: internal)
  @_implements(TaskExecutor,enqueue(_:))
  public func _enqueueTask(_ job: consuming ExecutorJob) {
    enqueue(PostedItem(.task, unsafeBitCast(UnownedJob(job), to: UInt.self), for: self))
  }

  /// Traps unless the caller is on the loop's thread, and the loop open.
  ///
  /// Call from any thread; `assumeIsolated` of a pinned actor does.
  public func checkIsolated() {
    if core.isIsolated { return }
    trap("LoopPort.checkIsolated: the caller is not on the loop's thread, or the loop is closed")
  }

  /// Whether the caller is on the loop's thread, and the loop open: in any callback
  /// of it, within a task or not.
  ///
  /// Call from any thread; the concurrency runtime does.
  public func isIsolatingCurrentContext() -> Bool? { core.isIsolated }

  @inline(__always)
  private func enqueue(_ item: PostedItem) {
    if _fastPath(core.append(item)) { return }
    enqueueLate(item)
  }

  @inline(never)
  private func enqueueLate(_ item: PostedItem) {
    if core.isForked {
      trap("LoopPort.enqueue: the loop belongs to the parent process; no task survives a fork")
    }
    core.orphanedJobs.add(item, self)
  }
}

extension PortCore {
  /// Whether the caller is on the loop's thread, and the loop open.
  var isIsolated: Bool { isOnThread && !didLeaveThread && !isForked }
}
