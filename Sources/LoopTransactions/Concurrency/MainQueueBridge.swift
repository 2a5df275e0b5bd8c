/// Runs `@MainActor` code and `DispatchQueue.main` on a loop.
///
/// Off Apple's platforms nothing serves the main queue while the main thread is in
/// a loop of another kind: what is sent there never runs. With a bridge the loop
/// polls libdispatch's own handle of that queue, beside everything else it waits
/// for, and does its work, on the process's first thread. Nothing is polled for by
/// a timer. One tick does what was there when it began; what that adds comes in the
/// next, after events that are ready.
///
/// The loop keeps the bridge until `cancel()` or until the loop is closed, and its
/// run waits for the main queue meanwhile. `EventLoop.runMain` makes one.
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
/// After what CoreFoundation's run loop does.
public final class MainQueueBridge {
  private let source: MainQueueSource
  let core: PortCore
  private unowned(unsafe) var loop: EventLoop?  // loop only
  private(set) var isWaitedFor = true  // loop only
  // Whether the main queue was seen to be served by this bridge.
  private var hasServedQueue = false  // loop only

  // Which bridge the process has. There is one main queue.
  // nonisolated(unsafe): touched on the main thread only; `checkCanServe` and the
  // loop's thread see to it.
  nonisolated(unsafe) private static weak var current: MainQueueBridge?

  /// Serves the main queue on `loop`, from its next tick on.
  ///
  /// Call on the loop, on the process's first thread, and not from a task: the
  /// program's `main` has to be synchronous.
  ///
  /// - Throws: `SetupError`, whose description says what to do.
  /// - Complexity: O(1).
  public init(on loop: EventLoop) throws(SetupError) {
    loop.checkUsable("MainQueueBridge.init")
    try Self.checkCanServe()
    guard Self.current == nil else { throw .alreadyServed }
    loop.checkNotTornDown("MainQueueBridge.init")
    let found: MainQueueSource?
    do { found = try MainQueueSource(loop: loop.uv) } catch { throw .system(error) }
    guard let found else { throw .unavailable }
    source = found
    core = loop.core
    self.loop = loop
    begin(on: loop)
  }

  deinit { if loop != nil { source.close() } }

  /// Whether the loop's run waits for the main queue. True unless set otherwise.
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

  /// Stops serving the main queue; what is sent there waits for the next who does.
  ///
  /// Call on the loop. Cancelling again does nothing; closing the loop does it.
  public func cancel() {
    core.checkThread("MainQueueBridge.cancel")
    // The kernel's poll is shared with a parent, which serves the queue still.
    if !core.isForked { detach() }
  }
}

extension MainQueueBridge {
  /// Throws unless the main queue can be served here.
  static func checkCanServe() throws(SetupError) {
    guard System.isMainThread else { throw .wrongThread }
    // The first part of an asynchronous main is a task on the first thread; what
    // comes after its first suspension is served by threads of libdispatch.
    guard withUnsafeCurrentTask(body: { $0 == nil }) else { throw .inTask }
  }

  private func begin(on loop: EventLoop) {
    Self.current = self
    loop.add(self)
    source.start(self, mainQueueIsReadable)
    // Behind what waits already. Unless it has run after the first drain, somebody
    // further out is draining the queue, and nothing here would ever run.
    Task { @MainActor in Self.current?.hasServedQueue = true }
    // Last: it calls the host.
    loop.host?.loopChanged()
  }

  /// The main queue's descriptor is readable.
  func mainQueueHasWork() {
    guard let loop, !core.isForked else { return source.leaveOwner() }
    // Held: what runs may close an adopted loop, and drop the bridge.
    withExtendedLifetime((self, loop)) {
      loop.calledBack { source.drain() }
    }
    // One that a block closed, which came before, proves nothing.
    if !hasServedQueue, self.loop != nil { trapNested() }
  }

  private func trapNested() -> Never {
    trap(
      "MainQueueBridge: a block of DispatchQueue.main runs the loop, and the main queue waits until "
        + "that block returns; run the loop from a synchronous main instead"
    )
  }
}

extension MainQueueBridge: LoopPart {
  var handles: [UnsafeMutableRawPointer] { loop == nil ? [] : [source.address] }

  func loopDidClose() { detach() }

  /// Leaves the loop, which is being closed.
  func detach() {
    guard let loop else { return }
    self.loop = nil
    // A loop that was released without `close()` may be released on any thread.
    if System.isMainThread { Self.current = nil }
    source.close()
    loop.remove(self)
  }

  func stopInChild(of uv: UVLoop) { source.stopInChild(of: uv) }

  /// Lets the handle end by itself in a child process that closed the loop.
  func leaveInChild() {
    source.leaveOwner()
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
