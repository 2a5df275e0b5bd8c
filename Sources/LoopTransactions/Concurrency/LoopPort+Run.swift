extension LoopPort {
  /// Runs `body` on the loop and returns its result.
  ///
  /// Call from any task, including one that runs on the loop. `body` runs as a
  /// post does: later, in the order of the posts, within the budget. It runs in
  /// a task that has the name and the task-local values of the calling task and
  /// is cancelled with it. It is released on the loop before the calling task
  /// resumes on the caller's executor.
  ///
  /// If the task is cancelled before `body` has begun, `body` does not run and
  /// is released, and this throws a `CancellationError` immediately. A body that
  /// has begun is not interrupted, and its result is returned. It can poll
  /// `Task.isCancelled`.
  ///
  /// See also: `postAndWait` blocks the calling thread instead.
  ///
  /// ```swift
  /// let title = try await port.run { loop in window.title }
  /// ```
  ///
  /// - Parameters:
  ///   - fileID: With `line`, the source location for reports.
  ///   - line: See `fileID`.
  ///   - body: Called at most once, on the loop.
  /// - Throws: The error of `body`. `PostError` if the loop is closed, or is
  ///   released without `close()` before `body` runs. A `CancellationError`.
  /// - Complexity: O(1), plus `body`.
  public nonisolated(nonsending) func run<Value: Sendable>(
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ body: consuming @escaping @Sendable (EventLoop) throws -> Value
  ) async throws -> Value {
    let call = TaskCall(at: SourcePlace(fileID, line), body)
    try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { call.start(on: self, $0) }
    } onCancel: {
      call.cancel()
    }
    return try call.value()
  }
}

/// A call from a task to a loop. A base class, because the loop does not know
/// the type of the result.
private class TaskCallBase: AwaitedCall, @unchecked Sendable {
  // @unchecked: its only property is constant.

  let place: SourcePlace?

  init(at place: SourcePlace) { self.place = place }

  /// Runs the call. Loop only.
  func run(on loop: EventLoop) {}

  func wasRefused() {}
}

/// A closure that runs on a loop and whose result a task awaits.
private final class TaskCall<Value: Sendable>: TaskCallBase, @unchecked Sendable {
  // @unchecked: `stage` has a lock. `loop` is used by the thread that begins the
  // task.

  typealias Body = @Sendable (EventLoop) throws -> Value

  private struct Stage {
    /// Nil once the call has begun or was cancelled.
    var body: Body?
    /// Runs the closure. Nil until the call is posted.
    var task: BodyTask?
    /// Nil until the calling task has suspended, and once it resumes.
    var continuation: UnsafeContinuation<Void, any Error>?
    // Under the lock too, because ThreadSanitizer does not see the order that a
    // continuation establishes; see scripts/races.
    var result: Result<Value, any Error> = .failure(CancellationError())
  }

  private let stage: Locked<Stage>
  /// The loop that runs the call.
  private var loop: EventLoop?

  init(at place: SourcePlace, _ body: consuming @escaping Body) {
    stage = Locked(Stage(body: body))
    super.init(at: place)
  }

  /// Posts the call, unless it was cancelled.
  func start(on port: LoopPort, _ continuation: UnsafeContinuation<Void, any Error>) {
    let isCancelled = stage.withLock { stage in
      if stage.body != nil { stage.continuation = continuation }
      return stage.body == nil
    }
    if isCancelled { return continuation.resume() }
    let task = BodyTask(currentTaskName) { [self] in perform() }
    stage.withLock { $0.task = task }
    if !port.core.call(loopRunsCall, with: self) { refuse(port.refusal) }
  }

  /// Cancels the body's task. Resumes the calling task if the call has not begun.
  func cancel() {
    stage.withLock { $0.task }?.task.cancel()
    end(.failure(CancellationError()))
  }

  override func wasRefused() { refuse(.closed) }

  private func refuse(_ error: LoopPort.PostError) {
    end(.failure(error))
    begin()
  }

  override func run(on loop: EventLoop) {
    self.loop = loop
    begin()
    self.loop = nil
  }

  /// Begins the body's task, even if the call was cancelled or refused: a task
  /// that never begins is never released.
  private func begin() { stage.withLock { $0.task }?.begin() }

  private func perform() {
    guard let loop, let result = runBody(on: loop) else { return }
    finish(result)
  }

  /// The result, once the task has resumed.
  func value() throws -> Value { try stage.withLock { $0.result }.get() }

  /// Ends the call with `result`, unless it has begun.
  private func end(_ result: Result<Value, any Error>) {
    // The closure is released before the task resumes.
    let isFirst = withExtendedLifetime(claim()) { $0 != nil }
    if isFirst { finish(result) }
  }

  // A function of its own, so that the closure is released before the task
  // resumes.
  @inline(never)
  private func runBody(on loop: EventLoop) -> Result<Value, any Error>? {
    guard let body = claim() else { return nil }
    return Result { try body(loop) }
  }

  /// Takes the closure, so that no other thread runs or ends the call.
  private func claim() -> Body? { stage.withLock { $0.body.take() } }

  /// Resumes the task, if it has suspended.
  private func finish(_ result: Result<Value, any Error>) {
    let continuation = stage.withLock { stage in
      stage.result = result
      return stage.continuation.take()
    }
    continuation?.resume()
  }
}

private func loopRunsCall(_ loop: UnsafeRawPointer, _ call: UnsafeRawPointer) {
  let call = call.object(as: TaskCallBase.self)
  call.run(on: loop.object(as: EventLoop.self))
}
