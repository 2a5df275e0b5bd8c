/// The `Sendable` interface of an event loop, for other threads.
///
/// A posted closure runs once, later, on the loop's thread. Closures of one
/// thread run in the order posted. A closure never runs inside `post`, even on
/// the loop's own thread. A burst of posts wakes a sleeping loop with one kernel
/// write.
///
/// Holding a port does not make the loop's `run()` wait, unless
/// `EventLoop.waitsForPosts` is true.
///
/// ```swift
/// let port = loop.port
/// loop.waitsForPosts = true
/// startThread {
///   try? port.post { print("on the loop") }
///   port.stop()
/// }
/// loop.run()
/// ```
///
/// `post` corresponds to `EventLoop.execute` in SwiftNIO, `DispatchQueue.async`
/// in Dispatch, and `uv_async_send` in libuv. `postAndWait` corresponds to
/// `DispatchQueue.sync`.
public final class LoopPort: Sendable {
  package let core: PortCore

  init(core: PortCore) { self.core = core }

  deinit {
    // Refused by a closed loop, which waits for no port.
    core.call(portWasReleased, with: core)
  }

  /// The reason why a loop refused a post or commit.
  public enum PostError: Error, Hashable, Sendable {
    /// The loop is closed or closing.
    case closed
    /// `EventLoop.postCapacity` is reached. A later post may be accepted.
    case full
    /// The loop belongs to the parent process. Create a loop in the child
    /// instead.
    case forked
  }

  /// Posts `body` to the loop.
  ///
  /// Call from any thread. Allocates nothing beyond the closure's captures. The
  /// closure is released on the loop.
  ///
  /// - Parameters:
  ///   - fileID: With `line`, the source location for reports.
  ///   - line: See `fileID`.
  ///   - body: Called once, on the loop.
  /// - Throws: `PostError` if the loop is closed or its inbox is full. `body`
  ///   is then released on the calling thread.
  /// - Complexity: O(1).
  @inlinable
  @inline(__always)
  public func post(
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ body: consuming @escaping @Sendable () -> Void
  ) throws(PostError) {
    // Inlined, so that the compiler computes the place.
    try post(consume body, at: SourcePlace(fileID, line))
  }

  @usableFromInline
  func post(
    _ body: consuming @escaping @Sendable () -> Void,
    at place: SourcePlace
  ) throws(PostError) {
    var item = PostedItem(consume body, at: place)
    if _fastPath(core.append(item)) { return }
    item.drop()
    throw refusal
  }

  /// Posts a call of `function` with `context` to the loop.
  ///
  /// Call from any thread. Does not allocate.
  ///
  /// - Parameters:
  ///   - function: Called once, on the loop.
  ///   - context: Passed to `function`, which takes ownership of it. A loop
  ///     that is released without `close()` does not call `function`, and
  ///     `context` leaks.
  /// - Throws: `PostError` if the loop is closed or its inbox is full.
  ///   `context` then still belongs to the caller.
  /// - Complexity: O(1).
  public func post(
    _ function: PostedFunction,
    context: UnsafeMutableRawPointer?
  ) throws(PostError) {
    if _fastPath(core.append(PostedItem(function, context))) { return }
    throw refusal
  }

  /// Makes a blocked loop begin a tick.
  ///
  /// Call from any thread or from a signal handler. A loop that is awake makes
  /// one more tick.
  ///
  /// - Complexity: O(1). One kernel write if the loop sleeps.
  public func wake() { core.request(Inbox.wakeWanted) }

  /// Makes the loop's run return after the current tick. If the loop is not
  /// running, the next run returns at once.
  ///
  /// Call from any thread or from a signal handler.
  ///
  /// - Complexity: O(1). One kernel write if the loop sleeps.
  public func stop() { core.request(Inbox.stopWanted) }

  /// Counters of the loop's work so far.
  ///
  /// Call from any thread.
  public var metrics: LoopMetrics { core.metrics.snapshot }

  /// The latencies of the loop's ticks. Nil if `EventLoop.recordsLatencies` was
  /// never true.
  ///
  /// Call from any thread, also after the loop is closed. The loop goes on
  /// recording meanwhile: the latencies of the current tick may be in some of
  /// the figures and not in others.
  ///
  /// - Complexity: O(b) in the 7,104 buckets.
  public var latencies: LoopLatencies? { core.recordedLatencies?.snapshot }

  /// The reason why the loop has just refused an item.
  @inline(never)
  var refusal: PostError {
    if core.isForked { return .forked }
    // If the loop has been closed since the refusal, later posts will be
    // refused too, so the reason is not `full`.
    return core.inbox.isClosed ? .closed : .full
  }
}

private func portWasReleased(_ loop: UnsafeRawPointer, _ core: UnsafeRawPointer) {
  loop.object(as: EventLoop.self).portWasReleased()
}

extension EventLoop {
  /// The interface of this loop for other threads.
  ///
  /// Call on the loop. All holders share one port. Holding the port does not
  /// change when `run()` returns. Set `waitsForPosts` if other threads are
  /// going to post and the loop has nothing else to wait for.
  public var port: LoopPort {
    checkUsable("EventLoop.port")
    if let port = currentPort { return port }
    let port = LoopPort(core: core)
    currentPort = port
    waitReasons.portHolders += 1
    settleWaiting()
    return port
  }

  /// Whether `run()` waits for posts while anyone holds the loop's port, even
  /// if there is nothing else to wait for. Defaults to false.
  ///
  /// Call on the loop. Actors pinned to the loop and tasks that prefer it hold
  /// its port too. A waiting run ends when the last holder releases the port,
  /// on any thread, or when the loop is stopped. In both cases, accepted posts
  /// run.
  ///
  /// Corresponds to libuv's `uv_ref` and `uv_unref`.
  public var waitsForPosts: Bool {
    get {
      checkThread("EventLoop.waitsForPosts")
      return waitReasons.includesPosts
    }
    set {
      checkUsable("EventLoop.waitsForPosts")
      waitReasons.includesPosts = newValue
      settleWaiting()
    }
  }

  /// Makes runs wait for a wake until `endHold()` has been called once for each
  /// `hold()`. Used for unfinished transactions, embeddings and name lookups.
  package func hold() {
    waitReasons.holds += 1
    settleWaiting()
  }

  /// Undoes one `hold()`.
  package func endHold() {
    waitReasons.holds -= 1
    settleWaiting()
  }

  /// Called when the last holder has released the port.
  func portWasReleased() {
    waitReasons.portHolders -= 1
    settleWaiting()
  }

  private func settleWaiting() {
    if wasTornDown { return }
    wakeSource.keepsLoopAlive(!waitReasons.isEmpty)
  }
}

/// The reasons to keep a run waiting for posts. Loop only.
struct WaitReasons {
  /// Whether a held port is a reason.
  var includesPosts = false
  var portHolders = 0
  /// The number of other reasons.
  var holds = 0

  var isEmpty: Bool { holds == 0 && !(includesPosts && portHolders > 0) }
}

// The loop as an executor. C1.
extension LoopPort: SerialExecutor, TaskExecutor {
  /// Enqueues a job that is isolated to the loop.
  ///
  /// Call from any thread; the concurrency runtime calls it. Does not allocate.
  /// Jobs run like posts, in the order enqueued and within the tick's budget. A
  /// job that another job enqueues may run in the same tick.
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
  /// - Complexity: O(1).
  public func enqueue(_ job: consuming ExecutorJob) {
    let word = UnownedJob(job).word
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
    enqueue(PostedItem(.task, UnownedJob(job).word, for: self))
  }

  /// Enqueues a job that is isolated to the main actor. Returns false if the
  /// loop is closing or closed; the job then still belongs to the caller.
  ///
  /// Call from any thread. The loop must be the first thread's.
  package func enqueueOnMainActor(_ job: UnownedJob) -> Bool {
    core.append(PostedItem(.mainActor, job.word, for: self))
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
