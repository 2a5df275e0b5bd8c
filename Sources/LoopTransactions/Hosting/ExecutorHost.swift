/// Runs a loop in turns on any host that accepts closures from other threads,
/// such as an event loop of SwiftNIO or Qt, a serial queue, or an actor.
///
/// One thread, shared by all hosts of the process, waits for the loops'
/// descriptors and timers, and hands over a turn when one is due. Posts, and
/// commits made between two turns, hand over a turn directly. A turn that leaves
/// work goes behind the host's other events, and so does a turn that follows
/// half a millisecond of turns in quick succession. Between two turns that do
/// so, the other turns take half a millisecond and one turn at most. A turn ends
/// with the piece of work that exceeds the budget. In a host that runs work and
/// events in one order, an event waits for one turn at most. An idle loop uses
/// no CPU.
///
/// ```swift
/// let host = try await ExecutorHost.make(on: HostExecutor(session)) { loop in
///   loop.addTimer(after: .seconds(1), every: .seconds(1)) { _ in print("tick") }
/// }
/// try host.port.post { print("on the host") }
/// try await host.close()
/// ```
///
/// A turn that the host runs inside a callback of the same loop does nothing.
///
/// Close the loop before the host shuts down. If the host refuses a turn, or
/// drops one that it had taken, it has shut down, and posts are refused with
/// `LoopPort.PostError.closed` from then on. Everything that was accepted before
/// is still performed by `EventLoop.close()`, which the owner of the loop must
/// call on the loop's thread. If `make` created the loop, nothing can close it
/// then: it is dropped on the waiting thread, with a report on standard error.
/// Its posts and commits are released without being performed, and callers that
/// wait for them get `LoopPort.PostError.closed`.
///
/// Available on Linux. Elsewhere creating a host throws `ENOSYS`.
///
/// Modelled on Electron, which waits for Node's loop on a separate thread.
public final class ExecutorHost: Sendable {
  /// The interface of the loop for other threads.
  public let port: LoopPort

  private let core: HostCore
  private let ownsLoop: Bool

  /// Starts running `loop` on a host.
  ///
  /// Call on the loop, on the host's thread, while the loop is not running. The
  /// loop keeps the host until `cancel()`, or until the loop is closed.
  ///
  /// - Throws: `UVError` if the system refuses a descriptor or the thread that
  ///   waits. The loop is then unchanged.
  /// - Precondition: The loop is not embedded already, and the host keeps its
  ///   thread.
  public init(_ loop: EventLoop, on executor: HostExecutor) throws(UVError) {
    require(
      executor.keepsThread,
      "ExecutorHost.init: the host must keep its thread; use ExecutorHost.make instead"
    )
    loop.checkMayEmbed("ExecutorHost.init")
    core = try HostCore(loop, owned: false, on: executor, for: "ExecutorHost.init")
    port = core.port
    ownsLoop = false
  }

  private init(_ core: HostCore) {
    self.core = core
    port = core.port
    ownsLoop = true
  }

  deinit { if ownsLoop { core.requestClose() } }

  /// Creates a loop on a host and runs it there.
  ///
  /// Call from any task. Keep a reference to the result while the loop is in
  /// use: releasing the last one closes the loop, and does not wait for the end.
  /// `EventLoop.current` is the loop in its turns and in `prepare` only.
  ///
  /// - Parameters:
  ///   - executor: The host. If it does not keep its thread, the loop belongs to
  ///     no thread between two turns: only code that the loop calls may use it,
  ///     and all other code uses the port.
  ///   - prepare: Called with the loop on the host's thread before the first
  ///     turn.
  /// - Throws: The error of `prepare`. `UVError` if the system refuses a
  ///   descriptor or a thread. `LoopPort.PostError.closed` if the host has shut
  ///   down.
  public nonisolated(nonsending) static func make(
    on executor: HostExecutor,
    _ prepare: @escaping @Sendable (EventLoop) throws -> Void = { _ in }
  ) async throws -> ExecutorHost {
    // Under a lock, because ThreadSanitizer does not see the order that a
    // continuation establishes; see scripts/races.
    let result = Locked<Result<HostCore, any Error>>(.failure(LoopPort.PostError.closed))
    try await withUnsafeThrowingContinuation { continuation in
      let making = HostMaking(continuation) {
        result.withLock { $0 = Result { try HostCore.make(on: executor, prepare) } }
      }
      // A host that refuses the work also releases it.
      _ = executor.execute { making.body() }
    }
    return ExecutorHost(try result.withLock { $0 }.get())
  }

  /// Stops running the loop. The loop can then be run in another way.
  ///
  /// Call on the loop, outside of a turn. Cancelling again does nothing.
  ///
  /// - Precondition: `make` did not create the loop. Use `close()` for such a
  ///   loop.
  public func cancel() { core.cancel() }

  /// Closes the loop on the host's thread, as `EventLoop.close()` does, and
  /// waits until it is closed.
  ///
  /// Call from any task, before the host shuts down. Returns at once if the loop
  /// is closed or no longer hosted. Cancelling the task has no effect.
  ///
  /// - Throws: The `UVError` of `EventLoop.close()`. `LoopPort.PostError.closed`
  ///   if the host has shut down, `.forked` in a forked child.
  public nonisolated(nonsending) func close() async throws {
    try await withUnsafeThrowingContinuation { continuation in core.requestClose(continuation) }
  }
}

/// The creation of a loop on its host. Its release resumes the task that waits
/// for the loop, also if the host dropped the creation.
private final class HostMaking: Sendable {
  let body: @Sendable () -> Void
  private let continuation: UnsafeContinuation<Void, any Error>

  init(
    _ continuation: UnsafeContinuation<Void, any Error>,
    _ body: @escaping @Sendable () -> Void
  ) {
    self.continuation = continuation
    self.body = body
  }

  deinit { continuation.resume() }
}

extension HostCore {
  fileprivate static func make(
    on executor: HostExecutor,
    _ prepare: (EventLoop) throws -> Void
  ) throws -> HostCore {
    let loop = try EventLoop()
    do {
      try prepare(loop)
      let core = try HostCore(loop, owned: true, on: executor, for: "ExecutorHost.make")
      core.leaveThread()
      return core
    } catch {
      // `try?`: the first error is the one to throw.
      try? loop.close()
      throw error
    }
  }
}

/// Describes how to hand work to a host, for an `ExecutorHost`.
///
/// A host is anything that runs closures of other threads one at a time: an
/// event loop of SwiftNIO or Qt, a serial queue, the executor of an actor.
///
/// ```swift
/// let executor = HostExecutor(
///   execute: { work in queue.execute(work) },
///   executeLater: { work in queue.execute(work) }
/// )
/// let host = try await ExecutorHost.make(on: executor)
/// ```
///
/// `Samples/HostFunctions.swift` is this program with a `queue` that is a
/// thread with a list of closures.
///
/// A value: create and use it on any thread.
public struct HostExecutor: Sendable {
  /// A function that hands `work` to the host. It returns false if the host did
  /// not take the work because it has shut down.
  public typealias Execute = @Sendable (_ work: @escaping @Sendable () -> Void) -> Bool

  package let execute: Execute
  let executeLater: Execute?
  let holdsWork: (@Sendable () -> Bool)?
  let keepsThread: Bool

  /// Creates a description from the functions of a host.
  ///
  /// - Parameters:
  ///   - execute: Hands work to the host. The host runs the work once, outside
  ///     of any callback of the loop. Called on any thread. It must not wait for
  ///     the host's thread, and must not use the loop or a port. If it runs the
  ///     work before it returns, as `g_main_context_invoke` does on the host's
  ///     thread, the turn is handed over again on another thread.
  ///   - executeLater: Hands work to the host, to run after the events that the
  ///     host has ready. Called after a turn that left work, and after turns in
  ///     quick succession. Pass the same function again if the host runs work
  ///     and its other events in one order. By default the work is handed over
  ///     by `execute` 0.2 ms later. The host's events are handled in between,
  ///     but a busy loop is idle for this time.
  ///   - holdsWork: Returns whether the host still holds work that it has taken
  ///     and not begun. Called from time to time while a turn is pending; if it
  ///     returns false, the turn is handed over again. Only for hosts whose queue
  ///     can be emptied, such as SDL's.
  ///   - keepsThread: Whether the host runs all work on one thread. If false, the
  ///     loop belongs to the thread that runs a turn, for the time of that turn.
  public init(
    execute: @escaping Execute,
    executeLater: Execute? = nil,
    holdsWork: (@Sendable () -> Bool)? = nil,
    keepsThread: Bool = true
  ) {
    self.execute = execute
    self.executeLater = executeLater
    self.holdsWork = holdsWork
    self.keepsThread = keepsThread
  }

  /// Describes the executor of an actor.
  ///
  /// Turns run isolated to `actor`, in tasks of their own, behind the actor's
  /// other jobs. Unless the actor has a custom executor, a turn waits for a free
  /// thread of the concurrency pool, and the actor runs jobs of a higher priority
  /// first. All turns have the priority `.medium`. They inherit no priority and
  /// no task-local values from a task that posts.
  ///
  /// The actor is retained until the loop is closed. An actor that stores its
  /// `ExecutorHost` must therefore call `ExecutorHost.close()`: otherwise neither
  /// of the two is ever released.
  public init(_ actor: some Actor) {
    let execute: Execute = { work in
      // Detached and with a priority of its own, because one turn serves all
      // posters. If the first one had a low priority, posts of urgent tasks would
      // wait for its turn.
      Task.detached(priority: .medium) { await run(on: actor, work) }
      return true
    }
    self.init(execute: execute, executeLater: execute, keepsThread: false)
  }
}

private func run<Host: Actor>(on actor: isolated Host, _ work: () -> Void) { work() }
