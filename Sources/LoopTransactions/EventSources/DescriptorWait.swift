/// A task that waits for a descriptor.
package final class DescriptorWait: AwaitedCall, @unchecked Sendable {
  // @unchecked: `watcher` is accessed on the loop's thread only. `stage` has a
  // lock.

  private enum Stage {
    case initial
    case waiting(UnsafeContinuation<Void, any Error>)
    case finished
  }

  private let core: PortCore
  private let descriptor: Int32
  private let events: DescriptorEvents
  private let stage = Locked(Stage.initial)
  private var watcher: DescriptorWatcher?  // loop only

  package init(_ core: PortCore, _ descriptor: Int32, for events: DescriptorEvents) {
    self.core = core
    self.descriptor = descriptor
    self.events = events
  }

  /// Makes `cancel()` and the loop resume `continuation` from now on. Returns
  /// false, and resumes it, if the wait was cancelled before.
  package func begin(_ continuation: UnsafeContinuation<Void, any Error>) -> Bool {
    let begins = stage.withLock { stage in
      guard case .initial = stage else { return false }
      stage = .waiting(continuation)
      return true
    }
    if !begins { continuation.resume(throwing: CancellationError()) }
    return begins
  }

  /// Makes the loop watch the descriptor.
  package func watch() { post(startWait) }

  /// Ends the wait as soon as the loop no longer polls for it. Until then, the
  /// task must not resume, because it may close the descriptor.
  package func cancel() {
    let isWaiting = stage.withLock { stage in
      switch stage {
      case .initial:
        stage = .finished
        return false
      case .waiting: return true
      case .finished: return false
      }
    }
    if isWaiting { post(cancelWait) }
  }

  func wasRefused() { end(.failure(LoopPort.PostError.closed)) }

  private func post(_ call: PostedCall) {
    var item = PostedItem(call, self)
    if core.append(item) { return }
    item.drop()
    end(.failure(core.isForked ? LoopPort.PostError.forked : .closed))
  }

  /// Resumes the task, unless it was resumed.
  fileprivate func end(_ result: Result<Void, any Error>) {
    let continuation = stage.withLock { stage -> UnsafeContinuation<Void, any Error>? in
      defer { stage = .finished }
      guard case .waiting(let continuation) = stage else { return nil }
      return continuation
    }
    continuation?.resume(with: result)
  }

  /// Starts the watcher, unless the wait was cancelled first. Another thread
  /// may post the cancellation before the waiting thread posts the start.
  fileprivate func start(on loop: EventLoop) {
    guard isWaiting else { return }
    guard loop.takesCommits else { return end(.failure(LoopPort.PostError.closed)) }
    let callback = ReadyCallback(self)
    do {
      watcher = try loop.watch(descriptor, for: events) { _ in callback.wait.becameReady() }
    } catch {
      end(.failure(error))
    }
  }

  private var isWaiting: Bool {
    stage.withLock { stage in
      switch stage {
      case .waiting: true
      case .initial, .finished: false
      }
    }
  }

  fileprivate func becameReady() {
    let failure = watcher?.failure
    stopWatcher(failure.map { .failure($0) } ?? .success(()))
  }

  /// Stops polling, and then resumes the task.
  fileprivate func stopWatcher(_ result: Result<Void, any Error>) {
    let watcher = watcher
    self.watcher = nil
    // The release of the callback would end the wait with another result.
    withExtendedLifetime(watcher?.detach()) { end(result) }
  }
}

/// Retained by a wait's watcher, and released with it. If the loop is closed
/// first, its release resumes the task.
private final class ReadyCallback {
  let wait: DescriptorWait

  init(_ wait: DescriptorWait) { self.wait = wait }

  deinit { wait.end(.failure(LoopPort.PostError.closed)) }
}

private func startWait(_ loop: UnsafeRawPointer, _ wait: UnsafeRawPointer) {
  let loop = Unmanaged<EventLoop>.fromOpaque(loop).takeUnretainedValue()
  Unmanaged<DescriptorWait>.fromOpaque(wait).takeUnretainedValue().start(on: loop)
}

private func cancelWait(_ loop: UnsafeRawPointer, _ wait: UnsafeRawPointer) {
  Unmanaged<DescriptorWait>.fromOpaque(wait).takeUnretainedValue()
    .stopWatcher(.failure(CancellationError()))
}

extension LoopPort {
  /// Waits until `descriptor` is readable, hung up, or has an error.
  ///
  /// Call from any task, also from an actor pinned to the loop. On the port and
  /// not on `EventLoop`, because a loop cannot be passed to a task. The loop
  /// sets the descriptor to non-blocking mode, with the exceptions of
  /// `EventLoop.watch`. When this returns or throws, the loop no longer polls
  /// the descriptor for this call, so the caller may close it. An error of the
  /// descriptor itself is left to the next read.
  ///
  /// - Throws: A `CancellationError` when the task is cancelled, once the loop
  ///   has stopped polling. `LoopPort.PostError` if the loop is closed.
  ///   `UVError` if the descriptor cannot be polled, as for `EventLoop.watch`,
  ///   or was closed meanwhile.
  /// - Complexity: A post and up to seventeen system calls. Use
  ///   `EventLoop.watch` to wait often.
  public func readable(_ descriptor: Int32) async throws {
    try await wait(for: .readable, of: descriptor)
  }

  /// Waits until `descriptor` is writable, hung up, or has an error.
  ///
  /// As `readable(_:)`. A socket that is connecting becomes writable when it is
  /// connected or failed.
  public func writable(_ descriptor: Int32) async throws {
    try await wait(for: .writable, of: descriptor)
  }

  private func wait(for events: DescriptorEvents, of descriptor: Int32) async throws {
    try Task.checkCancellation()
    let wait = DescriptorWait(core, descriptor, for: events)
    try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { if wait.begin($0) { wait.watch() } }
    } onCancel: {
      wait.cancel()
    }
  }
}
