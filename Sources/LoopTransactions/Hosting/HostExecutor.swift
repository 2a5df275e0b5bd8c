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
