public import LoopTransactions

/// Runs a loop by turns on Dispatch's main queue, for a program whose main thread
/// serves that queue already: by `RunLoop.main`, by Core Foundation, by a toolkit.
///
/// Events and precise timers come by a dispatch source that watches the loop's
/// descriptor; other timers by one timer source; posts, and what is committed on the
/// main thread between two turns, by a block of the main queue. Each turn is a block
/// of its own, so a busy loop leaves room for others. An idle loop costs nothing. While
/// a callback of the loop runs the main thread's own loop anew, the main queue rests,
/// and this with it.
///
/// The loop has to be the main thread's. `dispatchMain()`, and an asynchronous `main`,
/// have the queue served by threads of their own, on Linux: a turn traps there. The
/// loop keeps the host until `cancel()`, or until it is closed.
///
/// ```swift
/// let host = try DispatchHost(loop)
/// RunLoop.main.run()
/// ```
///
/// After SwiftNIO's transport services, which put a loop on a queue.
@MainActor
public final class DispatchHost {
  private var embedding: Embedding?
  private var sources: LoopSources?
  // Whether a block that makes a turn is on its way.
  private var isQueued = false

  /// Lets the main queue run `loop`, from now on.
  ///
  /// Call on the loop, while it is not running, on the main thread.
  ///
  /// - Throws: `UVError` if no descriptor is left; the loop is as it was then.
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

  /// Stops running the loop, which can be run in another way again.
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

  /// Sees to it that the next turn comes when it is due.
  private func schedule() {
    guard !isQueued, let embedding else { return }
    switch embedding.nextTimeout {
    case .zero:
      isQueued = true
      LoopSources.queue { [weak self] in
        // Here only: a turn that comes earlier, by a source, leaves the block on its
        // way, and another one would follow it for ever.
        self?.isQueued = false
        self?.turn()
      }
    case let timeout: sources?.arm(timeout)
    }
  }
}
