/// Jobs that arrived after their loop was closed.
///
/// The jobs wait until no code of the loop runs on its thread any more. They
/// are then run by a worker, one at a time, so code isolated to the loop stays
/// isolated.
final class OrphanedJobs: Sendable {
  private struct State {
    var waiting: [(item: PostedItem, port: LoopPort)] = []
    /// Whether the loop's thread no longer runs code of the loop.
    var didLoopLeaveThread = false
    /// Whether a worker runs the jobs, or is about to.
    var isRunning = false
    var wasReported = false

    /// Returns whether the caller must start a worker, and if so counts it as
    /// started.
    mutating func claimStart() -> Bool {
      guard didLoopLeaveThread, !isRunning, !waiting.isEmpty else { return false }
      isRunning = true
      return true
    }
  }

  private let state = Locked(State())
  private let runElsewhere: @Sendable (@escaping @Sendable () -> Void) -> Void

  /// Creates an empty list. `runElsewhere` runs its argument on a thread other
  /// than the loop's.
  init(runElsewhere: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
    self.runElsewhere = runElsewhere
  }

  /// Adds `item`, a job that was enqueued on `port`.
  ///
  /// Call from any thread.
  func add(_ item: PostedItem, _ port: LoopPort) {
    let (isFirst, starts) = state.withLock { state in
      state.waiting.append((item, port))
      defer { state.wasReported = true }
      return (!state.wasReported, state.claimStart())
    }
    if isFirst {
      System.logToStandardError(
        "LoopPort.enqueue: the loop is closed, so a job runs on a worker instead; "
          + "end tasks before EventLoop.close()"
      )
    }
    if starts { start() }
  }

  /// Called when the loop's thread no longer runs code of the loop.
  func loopDidLeaveThread() {
    let starts = state.withLock { state in
      state.didLoopLeaveThread = true
      return state.claimStart()
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

  // Removes all waiting jobs at once. If no jobs are waiting, ends the worker
  // and returns nil.
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
