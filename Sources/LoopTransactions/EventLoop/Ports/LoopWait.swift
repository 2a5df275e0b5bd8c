/// A task that waits for an event of a loop. A base class: a derived class knows
/// the event.
package class LoopWait: AwaitedCall, @unchecked Sendable {
  // @unchecked: `stage` has a lock. Derived classes have constants, and variables
  // that are accessed on the loop's thread only.

  private enum Stage {
    case initial
    case waiting(UnsafeContinuation<Void, any Error>)
    case finished
  }

  final let core: PortCore
  private let stage = Locked(Stage.initial)

  init(_ core: PortCore) { self.core = core }

  /// Returns after the event. Throws if the task is cancelled or the loop is
  /// closed before it.
  final func wait() async throws {
    try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { if begin($0) { start() } }
    } onCancel: {
      cancel()
    }
  }

  /// Makes `cancel()` and the loop resume `continuation` from now on. Returns
  /// false, and resumes it, if the wait was cancelled before.
  package final func begin(_ continuation: UnsafeContinuation<Void, any Error>) -> Bool {
    let begins = stage.withLock { stage in
      guard case .initial = stage else { return false }
      stage = .waiting(continuation)
      return true
    }
    if !begins { continuation.resume(throwing: CancellationError()) }
    return begins
  }

  /// Makes the loop watch for the event.
  package final func start() { post(startWait) }

  /// Makes the loop stop watching and then resume the task.
  package func cancel() {
    let isWaiting = stage.withLock { stage in
      if case .waiting = stage { return true }
      stage = .finished
      return false
    }
    if isWaiting { post(stopWait) }
  }

  /// Makes the loop stop watching, and resumes the task at once.
  final func cancelAtOnce() {
    end(.failure(CancellationError()))
    core.call(stopWait, with: self)
  }

  private func post(_ call: PostedCall) {
    if core.call(call, with: self) { return }
    end(.failure(core.isForked ? LoopPort.PostError.forked : .closed))
  }

  final func wasRefused() { end(.failure(LoopPort.PostError.closed)) }

  /// Resumes the task, unless it was resumed.
  final func end(_ result: Result<Void, any Error>) {
    let continuation = stage.withLock { stage -> UnsafeContinuation<Void, any Error>? in
      defer { stage = .finished }
      guard case .waiting(let continuation) = stage else { return nil }
      return continuation
    }
    continuation?.resume(with: result)
  }

  /// Watches for the event with a callback that retains `watch`. Loop only.
  func watch(on loop: EventLoop, _ watch: Watch) throws(UVError) {}

  /// Stops watching, because the task was cancelled. Loop only.
  func stop() {}

  // Another thread may post the cancellation before the waiting thread posts the
  // start.
  fileprivate func start(on loop: EventLoop) {
    guard stage.withLock({ if case .waiting = $0 { true } else { false } }) else { return }
    guard loop.takesCommits else { return wasRefused() }
    let lifetime = Watch(self)
    withExtendedLifetime(lifetime) {
      do { try watch(on: loop, lifetime) } catch { end(.failure(error)) }
    }
  }

  /// Retained by the callback for the event, and released with it. If the loop is
  /// closed first, its release resumes the task.
  final class Watch {
    private let wait: LoopWait

    fileprivate init(_ wait: LoopWait) { self.wait = wait }

    deinit { wait.wasRefused() }
  }
}

private func startWait(_ loop: UnsafeRawPointer, _ wait: UnsafeRawPointer) {
  let loop = loop.object(as: EventLoop.self)
  wait.object(as: LoopWait.self).start(on: loop)
}

private func stopWait(_ loop: UnsafeRawPointer, _ wait: UnsafeRawPointer) {
  wait.object(as: LoopWait.self).stop()
}
