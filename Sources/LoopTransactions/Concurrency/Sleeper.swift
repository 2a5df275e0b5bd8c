/// A task that sleeps on a loop's timer.
final class Sleeper: AwaitedCall, @unchecked Sendable {
  // @unchecked: `timer` is touched on the loop's thread only; `stage` has its lock.

  private enum Stage {
    case fresh
    case asleep(UnsafeContinuation<Void, any Error>)
    case over
  }

  private let core: PortCore
  private let deadline: LoopClock.Instant
  private let isPrecise: Bool
  private let stage = Locked(Stage.fresh)
  private var timer: LoopTimer?  // loop only

  /// One that will sleep until `deadline` on the loop of `core`.
  init(_ core: PortCore, until deadline: LoopClock.Instant, isPrecise: Bool) {
    self.core = core
    self.deadline = deadline
    self.isPrecise = isPrecise
  }

  /// Puts the task to sleep, which `continuation` wakes.
  func begin(_ continuation: UnsafeContinuation<Void, any Error>) {
    let begins = stage.withLock { stage in
      guard case .fresh = stage else { return false }
      stage = .asleep(continuation)
      return true
    }
    guard begins else { return continuation.resume(throwing: CancellationError()) }
    var item = PostedItem(startSleeper, self)
    if core.append(item) { return }
    item.drop()
    end(.failure(core.isForked ? LoopPort.PostError.forked : .closed))
  }

  /// Wakes the task at once; its timer goes when the loop comes round.
  func cancel() {
    end(.failure(CancellationError()))
    var item = PostedItem(cancelSleeper, self)
    if !core.append(item) { item.drop() }
  }

  func wasRefused() { end(.failure(LoopPort.PostError.closed)) }

  /// Wakes the task, unless it is awake.
  fileprivate func end(_ result: Result<Void, any Error>) {
    let continuation = stage.withLock { stage -> UnsafeContinuation<Void, any Error>? in
      defer { stage = .over }
      guard case .asleep(let continuation) = stage else { return nil }
      return continuation
    }
    continuation?.resume(with: result)
  }

  fileprivate func start(on loop: EventLoop) {
    let isOver = stage.withLock { stage in
      if case .over = stage { true } else { false }
    }
    guard !isOver else { return }
    guard loop.takesCommits else { return end(.failure(LoopPort.PostError.closed)) }
    let alarm = Alarm(self)
    do {
      timer =
        isPrecise
        ? try loop.makePreciseTimer(at: deadline, .once) { _ in alarm.ring() }
        : loop.makeTimer(at: deadline, .once) { _ in alarm.ring() }
    } catch {
      end(.failure(error))
    }
  }

  fileprivate func stopTimer() {
    timer?.cancel()
    timer = nil
  }
}

/// What a sleeper's timer keeps. It goes with the timer, also if the loop is closed
/// before the time has come: nobody sleeps for ever.
private final class Alarm {
  private let sleeper: Sleeper

  init(_ sleeper: Sleeper) { self.sleeper = sleeper }

  deinit { sleeper.end(.failure(LoopPort.PostError.closed)) }

  func ring() { sleeper.end(.success(())) }
}

private func startSleeper(_ loop: UnsafeRawPointer, _ sleeper: UnsafeRawPointer) {
  let loop = Unmanaged<EventLoop>.fromOpaque(loop).takeUnretainedValue()
  Unmanaged<Sleeper>.fromOpaque(sleeper).takeUnretainedValue().start(on: loop)
}

private func cancelSleeper(_ loop: UnsafeRawPointer, _ sleeper: UnsafeRawPointer) {
  Unmanaged<Sleeper>.fromOpaque(sleeper).takeUnretainedValue().stopTimer()
}
