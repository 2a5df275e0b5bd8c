import LoopTransactions

/// A task that waits on a loop for an event of a connection.
final class Suspension: @unchecked Sendable {
  // @unchecked: all properties are accessed on the loop's thread only, except
  // in `resume` for a loop that was released.

  private let core: PortCore
  private var continuation: UnsafeContinuation<Void, any Error>?
  private var result: Result<Void, any Error>?

  init(_ core: PortCore) { self.core = core }

  /// Suspends the task until `resume` is called, unless it was called before.
  ///
  /// - Throws: The error of `resume`. `CancellationError` if the task is
  ///   cancelled.
  func wait(isolation actor: isolated (any Actor)?) async throws {
    try await withTaskCancellationHandler {
      // Captured, because a closure that does not name the actor would leave
      // it.
      _ = actor
      try await withUnsafeThrowingContinuation { continuation in
        guard let result else { return self.continuation = continuation }
        continuation.resume(with: result)
      }
    } onCancel: {
      var item = PostedItem(cancelSuspension, self)
      // Refused only by a closed loop, whose connections have resumed all tasks.
      if !core.append(item) { item.drop() }
    }
  }

  /// Resumes the task, unless it was resumed.
  func resume(_ result: Result<Void, any Error> = .success(())) {
    guard self.result == nil else { return }
    self.result = result
    let continuation = continuation
    self.continuation = nil
    continuation?.resume(with: result)
  }
}

private func cancelSuspension(_: UnsafeRawPointer, _ suspension: UnsafeRawPointer) {
  Unmanaged<Suspension>.fromOpaque(suspension).takeUnretainedValue()
    .resume(.failure(CancellationError()))
}
