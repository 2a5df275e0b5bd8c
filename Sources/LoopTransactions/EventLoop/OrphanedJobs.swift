/// Jobs that came to a loop which takes nothing any more.
///
/// They wait until the loop's thread runs nothing of the loop, and then run on a
/// worker, one at a time: what is isolated to the loop stays so.
final class OrphanedJobs: Sendable {
  private struct State {
    var waiting: [(item: PostedItem, port: LoopPort)] = []
    /// Whether the loop's thread has left.
    var didLoopLeaveThread = false
    /// Whether a worker runs them, or is about to.
    var isRunning = false
    var wasReported = false

    /// Whether the caller has to start a worker.
    mutating func starts() -> Bool {
      guard didLoopLeaveThread, !isRunning, !waiting.isEmpty else { return false }
      isRunning = true
      return true
    }
  }

  private let state = Locked(State())
  private let runElsewhere: @Sendable (@escaping @Sendable () -> Void) -> Void

  /// No jobs yet; those that come are run by `runElsewhere`, off the loop's thread.
  init(runElsewhere: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
    self.runElsewhere = runElsewhere
  }

  /// Takes `item`, a job which was enqueued on `port`.
  ///
  /// Call from any thread.
  func add(_ item: PostedItem, _ port: LoopPort) {
    let (isFirst, starts) = state.withLock { state in
      state.waiting.append((item, port))
      defer { state.wasReported = true }
      return (!state.wasReported, state.starts())
    }
    if isFirst {
      System.logToStandardError(
        "LoopPort.enqueue: a task came to a loop that is closed; it runs on a worker instead. "
          + "End tasks before EventLoop.close()"
      )
    }
    if starts { start() }
  }

  /// The loop's thread runs nothing of the loop from now on.
  func loopDidLeaveThread() {
    let starts = state.withLock { state in
      state.didLoopLeaveThread = true
      return state.starts()
    }
    if starts { start() }
  }

  private func start() { runElsewhere { [self] in runAll() } }

  private func runAll() {
    while let batch = dequeueAll() {
      for next in batch {
        withExtendedLifetime(next.port) { next.item.runJob(.passUnretained(next.port)) }
      }
    }
  }

  // All that wait, so that each is moved once; nil if there are none, and no worker.
  private func dequeueAll() -> [(item: PostedItem, port: LoopPort)]? {
    state.withLock { state in
      guard !state.waiting.isEmpty else {
        state.isRunning = false
        return nil
      }
      defer { state.waiting = [] }
      return state.waiting
    }
  }
}
