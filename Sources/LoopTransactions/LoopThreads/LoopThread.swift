/// A thread that runs an event loop of its own.
///
/// Use it from any thread and any task. The loop waits for posts until `stop()`
/// is called. It then performs everything that was handed over before, closes,
/// and the thread ends. A post that arrives in the meantime either runs or is
/// refused with `LoopPort.PostError.closed`.
///
/// ```swift
/// let thread = try LoopThread(name: "network")
/// let ticks = try await thread.run { loop in loop.metrics.ticks }
/// thread.stop()
/// try await thread.join()
/// ```
///
/// Keep a reference to the thread while the loop is in use. Releasing the last
/// one stops the loop as `stop()` does, and does not wait for its end.
///
/// The counterpart of a `MultiThreadedEventLoopGroup` with one thread in
/// SwiftNIO, and of a thread with a run loop in Foundation.
public final class LoopThread: Sendable {
  /// The name of the thread, as it was given.
  public let name: String

  /// The interface of the loop for other threads.
  public let port: LoopPort

  private let life: LoopThreadLife
  private let thread: JoinableThread

  /// Starts a thread with a loop. Returns when the loop accepts work.
  ///
  /// Call from any thread. Blocks until the loop exists, usually for less than
  /// a millisecond.
  ///
  /// - Parameters:
  ///   - name: Shown by debuggers, `top` and `/proc`. Linux shows the first 15
  ///     bytes.
  ///   - affinity: The numbers of the CPUs that the thread may use. If empty,
  ///     it may use the CPUs of the calling thread. Threads that code on the loop
  ///     starts inherit the CPUs, except the workers of an
  ///     `OperationScheduler`. Ignored on other systems than Linux.
  /// - Throws: `UVError` if the system is out of threads, descriptors or
  ///   memory, or does not let the process use any CPU of `affinity`, or if
  ///   `name` has a zero byte.
  public init(name: String, affinity: [Int] = []) throws(UVError) {
    try name.checkWhole("LoopThread.init")
    let life = LoopThreadLife()
    let thread = try JoinableThread(name) { life.run(name, affinity) }
    do throws(UVError) { port = try life.started() } catch {
      thread.join()
      throw error
    }
    self.name = name
    self.life = life
    self.thread = thread
  }

  deinit { port.stop() }

  /// Stops the loop. Its thread then performs everything that was handed over
  /// before this call, closes the loop, and ends.
  ///
  /// Call from any thread. Does not block. Timers are cancelled, as in
  /// `EventLoop.close()`. Calling it again does nothing, and neither does
  /// calling it in a forked child. `LoopPort.stop()` and `EventLoop.stop()`
  /// have the same effect.
  ///
  /// - Complexity: O(1). One kernel write if the loop sleeps.
  public func stop() { port.stop() }

  /// Runs `body` on the loop and returns its result, as `LoopPort.run` does.
  ///
  /// Call from any task. Code that is not in a task uses
  /// `LoopPort.postAndWait`.
  ///
  /// - Throws: The error of `body`. `LoopPort.PostError` if the loop is closed,
  ///   or a `CancellationError` if the task is cancelled before `body` has
  ///   begun; `body` then does not run.
  /// - Complexity: O(1), plus `body`.
  public nonisolated(nonsending) func run<Value: Sendable>(
    _ body: consuming @escaping @Sendable (EventLoop) throws -> Value
  ) async throws -> Value {
    try await port.run(body)
  }

  /// Blocks until the loop is closed and the thread has ended. Does not stop
  /// the loop.
  ///
  /// Call from any thread except the loop's, where it traps. Every caller
  /// returns after the end. Returns at once in a forked child, where the thread
  /// does not exist.
  ///
  /// On the thread of another loop, prefer to call it with await: that loop
  /// makes no ticks until the end. A `postAndWait` to that loop that the end
  /// depends on throws a `WaitCycleError`. Two threads that join each other
  /// trap.
  ///
  /// - Throws: The `UVError` of `EventLoop.close()`, which is also reported on
  ///   standard error.
  public func join() throws(UVError) {
    require(
      !thread.isCurrent,
      """
      LoopThread.join: must not be called on the thread itself; call stop() there, and join() on \
      another thread or with await
      """
    )
    // Registered, so that a call that this thread can no longer answer throws.
    let wait = WaitTable.shared.begin(.end(of: thread))
    thread.join()
    WaitTable.shared.end(wait)
    try checkClosed()
  }

  /// Waits until the loop is closed and the thread has ended. Does not stop the
  /// loop.
  ///
  /// Call from any task. Does not block its thread while the loop runs. A task
  /// that prefers the loop as its executor continues on a worker.
  ///
  /// - Throws: The `UVError` of `EventLoop.close()`, which is also reported on
  ///   standard error.
  public func join() async throws(UVError) {
    await ended()
    // Blocks for a moment at most: the thread is returning.
    thread.join()
    try checkClosed()
  }

  /// Waits until the loop is closed and the thread returns. Returns at once in a
  /// forked child.
  func ended() async { if !port.core.isForked { await life.ended() } }

  /// Whether the caller is on the loop's thread.
  var isCurrent: Bool { thread.isCurrent }

  private func checkClosed() throws(UVError) {
    // Another thread may have held the lock during the fork.
    if port.core.isForked { return }
    if let error = life.closingError { throw error }
  }
}

/// The start and the end of a loop that runs on a thread of its own.
///
/// Shared by the thread and the `LoopThread`, so that the thread does not keep
/// the `LoopThread` alive.
final class LoopThreadLife: Sendable {
  private struct State {
    var start: Result<LoopPort, UVError>?
    var hasEnded = false
    var closingError: UVError?
    var waiters: [UnsafeContinuation<Void, any Error>] = []
  }

  private let state = Locked(State())
  private let start = Parking()

  /// Waits until the loop accepts work and returns its port. Called once.
  func started() throws(UVError) -> LoopPort {
    start.sleep()
    // Removed, so that only the `LoopThread` keeps the port.
    guard let start = state.withLock({ $0.start.take() }) else {
      preconditionFailure("LoopThreadLife: the thread reported no start")
    }
    return try start.get()
  }

  /// Waits until the loop is closed.
  func ended() async {
    // `try?`: nothing throws. A throwing continuation, because ThreadSanitizer
    // misreports others; see scripts/races.
    try? await withUnsafeThrowingContinuation { continuation in
      let hasEnded = state.withLock { state in
        if !state.hasEnded { state.waiters.append(continuation) }
        return state.hasEnded
      }
      if hasEnded { continuation.resume() }
    }
  }

  /// The error that closing the loop failed with.
  var closingError: UVError? { state.withLock { $0.closingError } }

  /// The thread's body: creates, runs and closes the loop.
  func run(_ name: String, _ affinity: [Int]) {
    let error = makeLoop(name, affinity).flatMap { Self.runAndClose($0, name) }
    // The loop has been released.
    let waiters = state.withLock { state in
      state.hasEnded = true
      state.closingError = error
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  private func makeLoop(_ name: String, _ affinity: [Int]) -> EventLoop? {
    do throws(UVError) {
      try CPUAffinity.pin(to: affinity, for: "LoopThread.init (affinity \(affinity))")
      let loop = try EventLoop()
      loop.waitsForPosts = true
      report(.success(loop.port))
      return loop
    } catch {
      report(.failure(error))
      return nil
    }
  }

  private func report(_ result: Result<LoopPort, UVError>) {
    state.withLock { $0.start = result }
    start.wake()
  }

  private static func runAndClose(_ loop: EventLoop, _ name: String) -> UVError? {
    loop.run()
    do throws(UVError) {
      try loop.close()
      return nil
    } catch {
      System.logToStandardError("LoopThread '\(name)': \(error)")
      // Its release refuses the work accepted meanwhile, and is reported too.
      return error
    }
  }
}
