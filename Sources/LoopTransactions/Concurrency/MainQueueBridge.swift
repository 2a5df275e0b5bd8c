/// Runs `@MainActor` code and `DispatchQueue.main` on a loop.
///
/// On platforms other than Apple's, the main queue is not served while the main
/// thread runs a loop of another kind: blocks that are sent to it never run.
/// With a bridge, the loop polls libdispatch's handle of the main queue along
/// with its other handles, and runs the blocks on the process's first thread.
/// No timer is involved. One tick runs the blocks that were queued when it
/// began. Blocks added by those blocks run in the next tick, after ready
/// events.
/// The loop retains the bridge until `cancel()` is called or the loop is
/// closed. Until then its run waits for the main queue. `EventLoop.runMain(_:)`
/// creates a bridge.
///
/// In reports of ticks and of a `LoopWatchdog`, the blocks that one tick runs
/// are one piece of work, the job `main queue`.
///
/// ```swift
/// let loop = try EventLoop()
/// let bridge = try MainQueueBridge(on: loop)
/// Task { @MainActor in
///   print("on the loop")
///   loop.stop()
/// }
/// loop.run()
/// ```
///
/// See also: on Apple's platforms, `CFRunLoop` serves the main queue in the
/// same way.
public final class MainQueueBridge {
  private let source: MainQueueSource
  let core: PortCore
  private unowned(unsafe) var loop: EventLoop?  // loop only
  private(set) var isWaitedFor = true  // loop only
  // Whether the main queue is being drained. Loop only.
  private var isDraining = false
  // Whether a block of the main queue has run through this bridge.
  private var hasServedQueue = false  // loop only

  // The bridge of the process, which has one main queue. nonisolated(unsafe):
  // accessed on the main thread only. `checkCanServe` and the checks of the
  // loop's thread ensure that.
  nonisolated(unsafe) private static weak var current: MainQueueBridge?

  /// Serves the main queue on `loop`, from its next tick on.
  ///
  /// Call on the loop, on the process's first thread, and not from a task: the
  /// program's `main` must be synchronous.
  ///
  /// - Throws: `SetupError`, whose description says what to do.
  /// - Complexity: O(1).
  public convenience init(on loop: EventLoop) throws(SetupError) {
    loop.checkUsable("MainQueueBridge.init")
    try Self.checkCanServe()
    try self.init(serving: loop)
    // Queued after the blocks that are already waiting. If it has not run after
    // the first drain, an outer call is draining the queue, and no block would
    // ever run here.
    Task { @MainActor in Self.current?.hasServedQueue = true }
  }

  /// Serves the main queue on `loop`, which also runs the main actor's jobs.
  ///
  /// Call on the loop, on the process's first thread. The caller may be a task
  /// of an asynchronous `main`.
  ///
  /// - Throws: `SetupError`, whose description says what to do.
  package convenience init(onMainActorsLoop loop: EventLoop) throws(SetupError) {
    try self.init(serving: loop)
    // The main actor's jobs do not pass through the queue, so a drain cannot
    // be checked by one.
    hasServedQueue = true
  }

  private init(serving loop: EventLoop) throws(SetupError) {
    guard Self.current == nil else { throw .alreadyServed }
    loop.checkNotTornDown("MainQueueBridge.init")
    // libuv polls a descriptor once.
    loop.mainQueueNotice?.detach()
    let found: MainQueueSource?
    do { found = try MainQueueSource(loop: loop.uv) } catch { throw .system(error) }
    guard let found else { throw .unavailable }
    source = found
    core = loop.core
    self.loop = loop
    begin(on: loop)
  }

  deinit { if loop != nil { source.close() } }

  /// Whether the loop's run waits for the main queue. `true` by default.
  ///
  /// Call on the loop.
  public var keepsLoopAlive: Bool {
    get {
      core.checkThread("MainQueueBridge.keepsLoopAlive")
      return isWaitedFor
    }
    set {
      core.checkThread("MainQueueBridge.keepsLoopAlive")
      isWaitedFor = newValue
      if loop != nil { source.keepsLoopAlive(newValue) }
    }
  }

  /// Stops serving the main queue. Blocks that are sent to it wait until it is
  /// served again.
  ///
  /// Call on the loop. Cancelling again does nothing. Closing the loop cancels
  /// the bridge.
  public func cancel() {
    core.checkThread("MainQueueBridge.cancel")
    // A forked child shares the kernel's poll set with the parent, and the
    // parent still serves the queue.
    if !core.isForked { detach() }
  }
}

extension MainQueueBridge {
  /// Throws if the main queue cannot be served here.
  static func checkCanServe() throws(SetupError) {
    guard System.isMainThread else { throw .wrongThread }
    // An asynchronous main starts as a task on the first thread. After its
    // first suspension it runs on threads of libdispatch.
    guard withUnsafeCurrentTask(body: { $0 == nil }) else { throw .inTask }
  }

  private func begin(on loop: EventLoop) {
    Self.current = self
    MainQueueNotice.isQueueServed = true
    loop.add(self)
    source.start(self, mainQueueIsReadable)
    // Called last, because this runs the host's code.
    loop.host?.loopChanged()
  }

  /// Drains the main queue.
  ///
  /// Call on the loop.
  package func mainQueueHasWork() {
    guard let loop, !core.isForked else { return source.detachOwner() }
    // Retained, because a block may close an adopted loop and release the
    // bridge.
    let isWithin = isDraining
    isDraining = true
    withExtendedLifetime((self, loop)) {
      loop.recorded(OwnerWord(.job, "main queue")) { loop.calledBack { source.drain() } }
    }
    isDraining = isWithin
    // If an earlier block closed the bridge, a flag that is not set proves
    // nothing.
    if !hasServedQueue, self.loop != nil { trapNested() }
  }

  private func trapNested() -> Never {
    trap(
      "MainQueueBridge: the loop must not be run from a block of DispatchQueue.main, which runs no "
        + "other block until that one returns; run the loop from a synchronous main"
    )
  }
}

extension MainQueueBridge: LoopPart {
  package var handles: [UnsafeMutableRawPointer] { loop == nil ? [] : [source.address] }

  // libdispatch does not run a block inside another one.
  package func processWillExit() { if !isDraining, source.hasWork { mainQueueHasWork() } }

  package func loopDidClose() { detach() }

  /// Leaves the loop, which is closing.
  func detach() {
    guard let loop else { return }
    self.loop = nil
    // A loop that was released without `close()` may be released on any thread.
    if System.isMainThread { Self.current = nil }
    MainQueueNotice.isQueueServed = false
    source.close()
    loop.remove(self)
  }

  package func stopInChild(of uv: UVLoop) { source.stopInChild(of: uv) }

  /// Detaches from the handle, in a child process that closed the inherited
  /// loop. The handle ends by itself.
  package func leaveInChild() {
    source.detachOwner()
    loop = nil
    Self.current = nil
  }
}

private func mainQueueIsReadable(
  _ handle: PollHandle?,
  _ status: Int32,
  _ events: Int32
) {
  guard let bridge = owner(of: handle, as: MainQueueBridge.self) else {
    return stopWatching(handle)
  }
  bridge.mainQueueHasWork()
}

extension MainQueueBridge {
  /// The reason why a loop cannot serve the main queue.
  ///
  /// A value type: use it on any thread.
  public enum SetupError: Error, Hashable, Sendable {
    /// libdispatch offers no descriptor of its main queue: it is not part of
    /// the program, or the system is not Linux.
    case unavailable
    /// The caller is not the process's first thread.
    case wrongThread
    /// The caller is a task, like all code of an asynchronous `main`.
    case inTask
    /// Another loop of the process already serves the main queue.
    case alreadyServed
    /// The system has no descriptor or memory left.
    case system(UVError)
  }
}

extension MainQueueBridge.SetupError: CustomStringConvertible {
  /// The reason, and how to avoid it.
  public var description: String { "MainQueueBridge: \(reason)" }

  private var reason: String {
    switch self {
    case .unavailable:
      """
      libdispatch offers no descriptor of its main queue here; on Linux, import Dispatch to link \
      it; elsewhere, use actors pinned to the loop's port
      """
    case .wrongThread:
      """
      the caller is not on the process's first thread, where @MainActor code must run; call this \
      on the first thread, from a main that is not async
      """
    case .inTask:
      """
      main is async, or the caller is a task, so libdispatch serves the main queue on its own \
      threads; make main synchronous, call EventLoop.runMain in it, and start tasks \
      from there, or link LoopTransactionsMain and use EventLoop.main
      """
    case .alreadyServed: "another loop serves the main queue; cancel its bridge first"
    case .system(let error): "\(error)"
    }
  }
}
