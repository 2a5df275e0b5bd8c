import LoopTransactions

/// A task that waits on a loop for an event of a connection.
final class Suspension: @unchecked Sendable {
  // @unchecked: `continuation` is accessed on the loop's thread only, except in
  // `resume` for a loop that was released.

  private let core: PortCore
  private var continuation: UnsafeContinuation<Void, any Error>?

  init(_ core: PortCore) { self.core = core }

  /// Whether a task is suspended here that was not resumed.
  var isWaiting: Bool { continuation != nil }

  /// Suspends the task until `resume` is called. Call this at once, because
  /// `resume` has no effect before.
  ///
  /// - Parameter didFail: Called before this throws.
  /// - Throws: The error of `resume`. `CancellationError` if the task is
  ///   cancelled.
  func wait(isolation actor: isolated (any Actor)?, _ didFail: () -> Void) async throws {
    do {
      try await withTaskCancellationHandler {
        // Captured, because a closure that does not name the actor would leave
        // it.
        _ = actor
        try await withUnsafeThrowingContinuation { continuation = $0 }
      } onCancel: {
        // Refused only by a closed loop, whose connections have resumed all tasks.
        core.call(cancelSuspension, with: self)
      }
    } catch {
      didFail()
      throw error
    }
  }

  /// Resumes the task, unless it was resumed.
  func resume(_ result: Result<Void, any Error> = .success(())) {
    continuation.take()?.resume(with: result)
  }
}

private func cancelSuspension(_: UnsafeRawPointer, _ suspension: UnsafeRawPointer) {
  Unmanaged<Suspension>.fromOpaque(suspension).takeUnretainedValue()
    .resume(.failure(CancellationError()))
}
