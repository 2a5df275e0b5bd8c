/// Hands the turns of one loop to a host.
///
/// Shared by the host's thread, the threads that post, and the waiter's thread.
final class HostCore: @unchecked Sendable {
  // @unchecked: the variables below the state are used on the loop's thread
  // only. If the host changes threads, the state's lock orders their accesses.

  let port: LoopPort
  // Nil once hosting has ended. An actor that stores its host would otherwise never
  // be released: the executor retains the actor.
  private let executor: Locked<HostExecutor?>
  private let keepsThread: Bool
  private let state: Locked<HostState>
  private let closers = Locked<[UnsafeContinuation<Void, any Error>]>([])

  private var embedding: Embedding?
  // Only if the host owns the loop.
  private var loop: EventLoop?
  // Whether `close()` is closing the loop.
  private var isClosing = false
  // Set before any other thread uses the object.
  private var waiterNumber: UInt64 = 0

  /// Starts hosting `loop`. Errors contain `operation`.
  ///
  /// Call on the loop.
  init(
    _ loop: EventLoop,
    owned: Bool,
    on executor: HostExecutor,
    for operation: String
  ) throws(UVError) {
    port = loop.port
    self.executor = Locked(executor)
    keepsThread = executor.keepsThread
    state = Locked(
      HostState(
        canExecuteLater: executor.executeLater != nil,
        checksHost: executor.holdsWork != nil,
        ownsLoop: owned
      )
    )
    waiterNumber = try HostWaiter.shared.add(
      self,
      descriptor: loop.uv.backendDescriptor,
      for: operation
    )
    if owned { self.loop = loop }
    embedding = Embedding(
      loop,
      hostWake: HostWake(reporting: { [self] in wake() }),
      // If the thread changes, the first thread can run turns only as code of the
      // main queue.
      servesMainQueue: !keepsThread,
      onChange: { [self] in change() },
      onEnd: { [self] in ended() }
    )
    change()
  }

  /// Stops hosting. The loop can then be run in another way.
  ///
  /// Call on the loop.
  func cancel() {
    guard let embedding else { return port.core.checkThread("ExecutorHost.cancel") }
    require(loop == nil, "ExecutorHost.cancel: the host owns its loop; use close() instead")
    embedding.cancel()
    // The loop may be run in another way, and then posts are welcome again.
    if state.withLock({ $0.isRefused }) { port.core.inbox.accept() }
  }

  /// Makes the host's thread close the loop. Call from any thread.
  func requestClose(_ closer: UnsafeContinuation<Void, any Error>? = nil) {
    if port.core.isForked {
      closer?.resume(throwing: LoopPort.PostError.forked)
      return
    }
    if let closer { closers.withLock { $0.append(closer) } }
    perform(state.withLock { $0.requestClose(at: System.nanoseconds, by: System.thread) })
    if state.withLock({ $0.isEnded }) { resumeClosers(.success(())) }
  }
}

// The turns.
extension HostCore {
  /// Makes the turn with this number. Called by the host.
  fileprivate func run(_ number: UInt64) {
    guard !port.core.isForked else { return }
    switch state.withLock({ $0.begin(number, at: System.nanoseconds, by: System.thread) }) {
    case .ignored: return
    case .turn: onThread { embedding?.turn() }
    case .close: onThread { close() }
    }
  }

  private func onThread(_ body: () -> Void) {
    if keepsThread {
      require(
        port.core.isOnThread,
        """
        ExecutorHost: the host ran a turn on another thread than the loop's; if it has several \
        threads, use ExecutorHost.make with a HostExecutor whose keepsThread is false
        """
      )
    } else {
      port.core.enterThread()
      port.core.loopOnThread?.moveRecordToThisThread()
    }
    body()
    let timeout = timeout
    // Before the turn ends, because the waiter may abandon the loop then.
    leaveThread()
    perform(state.withLock { $0.end(timeout: timeout, at: System.nanoseconds, by: System.thread) })
  }

  /// Called on the host's thread after a turn. Another thread may release a loop
  /// that the host owns, so no thread may know it as its current loop.
  func leaveThread() {
    if let loop { CurrentLoop.remove(loop) }
    if !keepsThread { port.core.leaveThread() }
  }

  private func close() {
    isClosing = true
    let result: Result<Void, any Error> = Result {
      if let loop = loop ?? port.core.loopOnThread { try loop.close() }
    }
    isClosing = false
    // Released on the host's thread.
    if embedding == nil { loop = nil }
    // First, so that a later caller asks again.
    state.withLock { $0.didTryToClose() }
    resumeClosers(result)
  }

  /// How long the host may wait, in nanoseconds. `.max` means no limit.
  private var timeout: UInt64 {
    guard let embedding, let timeout = embedding.nextTimeout else { return .max }
    return UInt64(clamping: timeout.clampedNanoseconds)
  }

  /// Called on the loop, outside of turns, when the timeout may have become
  /// shorter.
  private func change() {
    let timeout = timeout
    perform(
      state.withLock { $0.change(timeout: timeout, at: System.nanoseconds, by: System.thread) }
    )
  }

  /// Called on a thread that has posted while the loop slept.
  private func wake() -> HostWake.Outcome {
    perform(state.withLock { $0.request(at: System.nanoseconds, by: System.thread) })
    return state.withLock { $0.isRefused } ? .refused : .sent
  }

  /// Called when the loop is closed, released or no longer hosted.
  private func ended() {
    embedding = nil
    state.withLock { $0.didEnd() }
    HostWaiter.shared.remove(waiterNumber)
    // Released outside of the lock, because that may release the user's objects.
    _ = executor.withLock { $0.take() }
    if !isClosing { resumeClosers(.success(())) }
  }
}

extension HostCore {
  private func perform(_ action: HostState.Action, isWaiter: Bool = false) {
    switch action {
    case .none: break
    case .execute(let number): handOver(number, isLater: false, isWaiter: isWaiter)
    case .executeLater(let number): handOver(number, isLater: true, isWaiter: isWaiter)
    case .wait(let deadline): wait(isWatched: false, until: deadline)
    case .watch(let deadline): wait(isWatched: true, until: deadline)
    case .check(let number):
      let isHeld = executor.withLock { $0?.holdsWork }?() ?? true
      let action = state.withLock {
        $0.didCheck(number, isHeld: isHeld, at: System.nanoseconds, by: System.thread)
      }
      perform(action, isWaiter: isWaiter)
    case .refuse: refuse()
    case .abandon: abandon()
    }
  }

  private func handOver(_ number: UInt64, isLater: Bool, isWaiter: Bool) {
    let isTaken = callExecute(number, isLater: isLater)
    let now = System.nanoseconds
    perform(state.withLock { $0.didCall(number, isTaken: isTaken, at: now, isWaiter: isWaiter) })
  }

  // Returns after this thread has released the turn.
  private func callExecute(_ number: UInt64, isLater: Bool) -> Bool {
    // If hosting has ended meanwhile, the turn is ignored.
    guard let executor = executor.withLock({ $0 }) else { return true }
    let execute = (isLater ? executor.executeLater : nil) ?? executor.execute
    let turn = HostTurn(self, number)
    return execute { turn.run() }
  }

  private func wait(isWatched: Bool, until deadline: UInt64) {
    HostWaiter.shared.wait(waiterNumber, isWatched: isWatched, until: deadline)
  }

  /// Refuses posts, because the host has ended.
  private func refuse() {
    _ = port.core.inbox.refuse()
    resumeClosers(.failure(LoopPort.PostError.closed))
    // The waiter's thread abandons the loop: a poster cannot, because ending the
    // embedding waits for posters.
    wait(isWatched: false, until: 0)
  }

  /// Releases the loop that the host owns, because nothing can close it any
  /// more.
  private func abandon() {
    System.logToStandardError(
      "ExecutorHost: the host has shut down, so its loop is dropped; call close() before"
    )
    loop = nil
  }

  private func resumeClosers(_ result: Result<Void, any Error>) {
    let waiting = closers.withLock { closers in
      defer { closers = [] }
      return closers
    }
    for closer in waiting { closer.resume(with: result) }
  }
}

extension HostCore {
  /// Called by the waiter when the descriptor is readable or a deadline has
  /// passed. Returns the next deadline, in nanoseconds; `.max` means none.
  func waiterCalled(isReadable: Bool) -> UInt64 {
    let (action, next) = state.withLock {
      $0.waiterCalled(isReadable: isReadable, at: System.nanoseconds, by: System.thread)
    }
    perform(action, isWaiter: true)
    return next
  }

  /// Called when the host has released the turn with this number.
  fileprivate func dropped(_ number: UInt64) {
    guard !port.core.isForked else { return }
    perform(state.withLock { $0.dropped(number) })
  }
}

/// A turn that was handed to a host.
private final class HostTurn: Sendable {
  private let core: HostCore
  private let number: UInt64

  init(_ core: HostCore, _ number: UInt64) {
    self.core = core
    self.number = number
  }

  // A host that shuts down may drop it.
  deinit { core.dropped(number) }

  func run() { core.run(number) }
}

extension HostTurn: Unreflected {}
