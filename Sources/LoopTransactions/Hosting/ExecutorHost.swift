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
    loop.checkHostable("ExecutorHost.init")
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
    let making = HostMaking(executor, prepare)
    try await withUnsafeThrowingContinuation { continuation in
      making.start(continuation)
    }
    return ExecutorHost(try making.value())
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

extension EventLoop {
  /// Traps unless the loop can be hosted.
  fileprivate func checkHostable(_ operation: StaticString) {
    checkUsable(operation)
    require(
      host == nil,
      "\(operation): the loop is already embedded; cancel() its Embedding or host first"
    )
    checkMayEmbed()
  }
}
