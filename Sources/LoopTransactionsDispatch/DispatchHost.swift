public import LoopTransactions

/// Runs a loop in turns on Dispatch's main queue, in a program whose main
/// thread already serves that queue through `RunLoop.main`, Core Foundation or
/// a toolkit.
///
/// Each turn is a block of its own on the main queue, so a busy loop leaves
/// time for other blocks. A dispatch source watches the loop's descriptor for
/// events and precise timers. One timer source serves the other timers. Posts,
/// and commits made on the main thread between two turns, enqueue a block
/// directly. An idle loop uses no CPU. If a callback of the loop runs a nested
/// run loop on the main thread, the main queue and this host are suspended
/// until the nested run ends.
///
/// A `LoopWatchdog` of the loop sees the turns only. Dispatch does not report
/// other blocks of the main queue. Use `RunLoopHost` to have them watched, too.
///
/// The loop must belong to the main thread. On Linux, `dispatchMain()` and an
/// async `main` serve the queue on other threads, where a turn traps. The loop
/// keeps the host until `cancel()`, or until the loop is closed.
///
/// ```swift
/// let host = try DispatchHost(loop)
/// RunLoop.main.run()
/// ```
///
/// Modelled on SwiftNIO Transport Services, which runs event loops on dispatch
/// queues.
@MainActor
public final class DispatchHost {
  private var embedding: Embedding?
  private var sources: LoopSources?
  // Whether a block that makes a turn is already enqueued.
  private var isQueued = false

  /// Starts running `loop` on the main queue.
  ///
  /// Call on the loop, on the main thread, while the loop is not running.
  ///
  /// - Throws: `UVError` if the system is out of descriptors. The loop is then
  ///   unchanged.
  /// - Precondition: The loop is not embedded already.
  public init(_ loop: EventLoop) throws(UVError) {
    (embedding, sources) = try LoopSources.embed(loop, for: "DispatchHost.init") { [self] in
      schedule()
    } onEnd: { [self] in
      ended()
    } turn: { [weak self] in
      self?.turn()
    }
    schedule()
  }

  /// Stops running the loop. The loop can then be run in another way.
  ///
  /// Call on the loop, outside of a turn. Cancelling again does nothing.
  public func cancel() { embedding?.cancel() }

  private func ended() {
    embedding = nil
    sources?.cancel()
    sources = nil
  }

  private func turn() {
    LoopSources.checkMainThread()
    embedding?.turn()
    schedule()
  }

  /// Schedules the next turn for when it is due.
  private func schedule() {
    guard !isQueued, let embedding else { return }
    switch embedding.nextTimeout {
    case .zero:
      isQueued = true
      LoopSources.queue { [weak self] in
        // Reset only here. A turn that a source made earlier leaves this block
        // enqueued. If that turn reset the flag, it would enqueue a second
        // block, and both blocks would continue forever.
        self?.isQueued = false
        self?.turn()
      }
    case let timeout: sources?.arm(timeout)
    }
  }
}

extension DispatchHost: CustomReflectable {
  /// An empty mirror: the host belongs to the main actor, but a mirror may be
  /// requested on any thread.
  public nonisolated var customMirror: Mirror { Mirror(self, children: [:]) }
}
