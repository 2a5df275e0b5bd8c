extension LoopThread {
  /// Runs `body` on the loop and returns its result.
  ///
  /// Call from any task. `body` runs as a post does, in the order handed over,
  /// and its captures are released on the loop. Cancelling the task has no
  /// effect on `body`. Code that is not in a task uses `LoopPort.postAndWait`.
  ///
  /// - Throws: The error of `body`. `LoopPort.PostError` if the loop is closed;
  ///   `body` then does not run.
  /// - Complexity: O(1), plus `body`.
  public nonisolated(nonsending) func run<Value: Sendable>(
    _ body: consuming @escaping @Sendable (EventLoop) throws -> Value
  ) async throws -> Value {
    let call = AwaitedRun(body)
    try await withUnsafeThrowingContinuation { continuation in
      call.start(on: port, continuation)
    }
    return try call.value()
  }
}

/// A call from a task to a loop. A base class, because the loop does not know
/// the type of the result.
private class LoopRun: AwaitedCall {
  func run(on loop: EventLoop) {}
  func wasRefused() {}
}

/// A closure whose result a task awaits.
private final class AwaitedRun<Value: Sendable>: LoopRun, @unchecked Sendable {
  // @unchecked: `body` and `continuation` are written before the loop can see
  // the call.

  private var body: ((EventLoop) throws -> Value)?
  private var continuation: UnsafeContinuation<Void, any Error>?
  // Under a lock, because ThreadSanitizer does not see the order that a
  // continuation establishes; see scripts/races.
  private let result = Locked(Result<Value, any Error>.failure(LoopPort.PostError.closed))

  init(_ body: consuming @escaping @Sendable (EventLoop) throws -> Value) { self.body = body }

  /// Hands the call to the loop of `port`, which resumes `continuation`.
  func start(on port: LoopPort, _ continuation: UnsafeContinuation<Void, any Error>) {
    self.continuation = continuation
    var item = PostedItem(runAwaited, self)
    guard !port.core.append(item) else { return }
    item.drop()
    finish(.failure(port.refusal))
  }

  /// Returns the result, after the task has resumed.
  func value() throws -> Value { try result.withLock { $0 }.get() }

  override func run(on loop: EventLoop) { finish(answer(loop)) }

  override func wasRefused() { finish(.failure(LoopPort.PostError.closed)) }

  // Returns before the task resumes, so that the captures are released by then.
  private func answer(_ loop: EventLoop) -> Result<Value, any Error> {
    guard let body = body.take() else { return result.withLock { $0 } }
    return Result { try body(loop) }
  }

  private func finish(_ result: Result<Value, any Error>) {
    self.result.withLock { $0 = result }
    body = nil
    continuation.take()?.resume()
  }
}

private func runAwaited(_ loop: UnsafeRawPointer, _ call: UnsafeRawPointer) {
  let call = Unmanaged<LoopRun>.fromOpaque(call).takeUnretainedValue()
  call.run(on: Unmanaged<EventLoop>.fromOpaque(loop).takeUnretainedValue())
}
