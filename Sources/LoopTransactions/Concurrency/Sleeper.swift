/// A task that sleeps by a timer of a loop.
final class Sleeper: AwaitedCall, @unchecked Sendable {
  // @unchecked: `timer` is accessed on the loop's thread only. `stage` has a
  // lock.

  private enum Stage {
    case initial
    case sleeping(UnsafeContinuation<Void, any Error>)
    case finished
  }

  private let core: PortCore
  private let deadline: LoopClock.Instant
  private let isPrecise: Bool
  // The task that sleeps, on a stepped loop.
  private let task: Int?
  private let stage = Locked(Stage.initial)
  private var timer: LoopTimer?  // loop only

  /// Creates a sleep until `deadline` on the loop of `core`.
  init(_ core: PortCore, until deadline: LoopClock.Instant, isPrecise: Bool) {
    self.core = core
    self.deadline = deadline
    self.isPrecise = isPrecise
    task = core.virtualTime == nil ? nil : VirtualTime.currentTask
  }

  /// Starts the timer that resumes `continuation`.
  func suspend(_ continuation: UnsafeContinuation<Void, any Error>) {
    let suspends = stage.withLock { stage in
      guard case .initial = stage else { return false }
      stage = .sleeping(continuation)
      return true
    }
    guard suspends else { return continuation.resume(throwing: CancellationError()) }
    var item = PostedItem(startSleeper, self)
    if core.append(item) { return }
    item.drop()
    end(.failure(core.isForked ? LoopPort.PostError.forked : .closed))
  }

  /// Resumes the task immediately. The loop cancels the timer later.
  func cancel() {
    end(.failure(CancellationError()))
    var item = PostedItem(cancelSleeper, self)
    if !core.append(item) { item.drop() }
  }

  func wasRefused() { end(.failure(LoopPort.PostError.closed)) }

  /// Resumes the task, unless it was resumed.
  fileprivate func end(_ result: Result<Void, any Error>) {
    let continuation = stage.withLock { stage -> UnsafeContinuation<Void, any Error>? in
      defer { stage = .finished }
      guard case .sleeping(let continuation) = stage else { return nil }
      return continuation
    }
    continuation?.resume(with: result)
  }

  fileprivate func start(on loop: EventLoop) {
    let isFinished = stage.withLock { stage in
      if case .finished = stage { true } else { false }
    }
    guard !isFinished else { return }
    guard loop.takesCommits else { return end(.failure(LoopPort.PostError.closed)) }
    let callback = WakeCallback(self)
    do {
      timer =
        isPrecise
        ? try loop.makePreciseTimer(at: deadline, .once, nil) { _ in callback.fire() }
        : loop.makeTimer(at: deadline, .once, nil) { _ in callback.fire() }
    } catch {
      return end(.failure(error))
    }
    noteSleep(until: deadline.nanoseconds)
  }

  /// Tells the clock of a stepped loop that the task sleeps, or no longer does.
  fileprivate func noteSleep(until due: UInt64?) {
    guard let task, let time = core.virtualTime else { return }
    time.setSleep(of: task, until: due)
  }

  fileprivate func stopTimer() {
    timer?.cancel()
    timer = nil
    noteSleep(until: nil)
  }
}

/// Retained by a sleeper's timer, and released with the timer. If the loop is
/// closed first, the release of this object resumes the task.
private final class WakeCallback {
  private let sleeper: Sleeper

  init(_ sleeper: Sleeper) { self.sleeper = sleeper }

  deinit { sleeper.end(.failure(LoopPort.PostError.closed)) }

  func fire() {
    sleeper.noteSleep(until: nil)
    sleeper.end(.success(()))
  }
}

private func startSleeper(_ loop: UnsafeRawPointer, _ sleeper: UnsafeRawPointer) {
  let loop = Unmanaged<EventLoop>.fromOpaque(loop).takeUnretainedValue()
  Unmanaged<Sleeper>.fromOpaque(sleeper).takeUnretainedValue().start(on: loop)
}

private func cancelSleeper(_ loop: UnsafeRawPointer, _ sleeper: UnsafeRawPointer) {
  Unmanaged<Sleeper>.fromOpaque(sleeper).takeUnretainedValue().stopTimer()
}

extension EventLoop {
  /// A clock whose sleeps are timers of this loop. The clock of a stepped loop
  /// advances only when the test advances it.
  ///
  /// Call on the loop.
  public var clock: LoopClock {
    checkThread("EventLoop.clock")
    return LoopClock(core: core)
  }
}

extension LoopPort {
  /// A clock whose sleeps are timers of the loop.
  ///
  /// Call from any thread.
  public var clock: LoopClock { LoopClock(core: core) }
}

extension LoopClock: Clock {
  /// The current time of the system, or of a stepped loop.
  ///
  /// Call from any thread.
  public var now: Instant {
    guard let time = core.virtualTime else { return Self.now }
    return Instant(nanoseconds: time.nanoseconds)
  }

  /// One millisecond, the resolution of a sleep without a smaller tolerance.
  ///
  /// Call from any thread.
  public var minimumResolution: Duration { .milliseconds(1) }

  /// Sleeps until `deadline`, and never wakes earlier.
  ///
  /// Call from any task. The loop's run waits for the sleep as for any timer.
  ///
  /// - Parameter tolerance: A tolerance under one millisecond uses a precise
  ///   timer. Any other value, or nil, has a resolution of one millisecond.
  /// - Throws: A `CancellationError` immediately when the task is cancelled.
  ///   `LoopPort.PostError` if the loop is closed before the deadline.
  ///   `UVError` if there is no descriptor for the loop's first precise timer.
  /// - Complexity: O(log n) in the loop's timers, plus a post to begin and a
  ///   second post to end early.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    try Task.checkCancellation()
    guard now < deadline else { return }
    let isPrecise = tolerance.map { $0 < minimumResolution } ?? false
    let sleeper = Sleeper(core, until: deadline, isPrecise: isPrecise)
    try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { sleeper.suspend($0) }
    } onCancel: {
      sleeper.cancel()
    }
  }
}
