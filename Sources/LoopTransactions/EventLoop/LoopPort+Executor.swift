// The loop as an executor. C1.
extension LoopPort: SerialExecutor, TaskExecutor {
  /// Enqueues a job that is isolated to the loop.
  ///
  /// Call from any thread; the concurrency runtime calls it. Does not allocate.
  /// Jobs run like posts, in the order enqueued and within the tick's budget.
  /// Up to 32 jobs that other jobs of the tick enqueued run in the same tick,
  /// unless another post waits before them.
  ///
  /// To pin an actor to the loop, keep its port in the actor and return it as
  /// the actor's executor. A task that prefers the port runs its nonisolated
  /// code on the loop too, and then calls such an actor without leaving the
  /// thread.
  ///
  /// ```swift
  /// actor Session {
  ///   nonisolated let port: LoopPort
  ///   nonisolated var unownedExecutor: UnownedSerialExecutor {
  ///     port.asUnownedSerialExecutor()
  ///   }
  ///   init(on port: LoopPort) { self.port = port }
  /// }
  /// ```
  ///
  /// A job cannot be refused. A job that arrives while the loop is closing
  /// waits until the loop is closed. Such jobs, and jobs that arrive later, run
  /// on a worker of `OperationScheduler.shared`, one at a time, in the order
  /// enqueued. Actors therefore stay isolated and their tasks end, but they no
  /// longer run on the loop's thread. The first such job is reported on
  /// standard error. In a forked child, `enqueue` traps, because no task
  /// survives a fork.
  ///
  /// SwiftNIO's event loops are executors as well, but drop jobs that arrive
  /// too late.
  ///
  /// - Complexity: O(1).
  public func enqueue(_ job: consuming ExecutorJob) {
    let word = unsafeBitCast(UnownedJob(job), to: UInt.self)
    // True if a task that prefers the loop has called an actor of the loop on
    // the loop.
    let prefersLoop = core.isOnThread && core.runningTask == word
    enqueue(PostedItem(prefersLoop ? .isolatedTask : .isolated, word, for: self))
  }

  // Both protocols require a function of the same name. The requirement that is
  // called tells whether the job is isolated to the loop. If a nonisolated job
  // ran as an isolated job, the runtime would re-enqueue it at each call of a
  // nonisolated function, and each such call would cost a tick.

  /// Enqueues a job of a task that prefers the loop.
  ///
  /// Public because the compiler requires it of a witness. Call from any
  /// thread; the concurrency runtime calls it.
  ///
  /// - Complexity: O(1).
  @_documentation(visibility: internal)
  @_implements(TaskExecutor,enqueue(_:))
  public func _enqueueTask(_ job: consuming ExecutorJob) {
    enqueue(PostedItem(.task, unsafeBitCast(UnownedJob(job), to: UInt.self), for: self))
  }

  /// Enqueues a job that is isolated to the main actor. Returns false if the
  /// loop is closing or closed; the job then still belongs to the caller.
  ///
  /// Call from any thread. The loop must be the first thread's.
  package func enqueueOnMainActor(_ job: UnownedJob) -> Bool {
    core.append(PostedItem(.mainActor, unsafeBitCast(job, to: UInt.self), for: self))
  }

  /// Traps unless the caller is on the loop's thread and the loop is open.
  ///
  /// Call from any thread; `assumeIsolated` of a pinned actor calls it.
  public func checkIsolated() {
    if core.isIsolated { return }
    trap("LoopPort.checkIsolated: the caller is not on the loop's thread, or the loop is closed")
  }

  /// Returns whether the caller is on the loop's thread and the loop is open.
  /// This is true in every callback of the loop, inside and outside of tasks.
  ///
  /// Call from any thread; the concurrency runtime calls it.
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
  /// Whether the caller is on the loop's thread and the loop is open.
  var isIsolated: Bool { isOnThread && !didLeaveThread && !isForked }
}
