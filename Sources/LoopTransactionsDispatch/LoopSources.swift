internal import Dispatch
package import LoopTransactions

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// The sources by which Dispatch's main queue learns that a loop is due.
@MainActor
package final class LoopSources {
  private let readable: any DispatchSourceRead
  private let timer: any DispatchSourceTimer
  // When the timer comes; nil if it does not.
  private var armed: LoopClock.Instant?
  // Whether the descriptor is left alone.
  private var isSuspended = false

  /// Embeds `loop` for `operation`, which errors name, with sources that have `turn` called
  /// when it is due.
  ///
  /// - Parameters:
  ///   - onChange: As of `Embedding`, on the main thread.
  ///   - onEnd: As of `Embedding`, on the main thread.
  ///   - turn: Called on the main queue; makes a turn.
  /// - Throws: `UVError` if no descriptor is left; the loop is not embedded then.
  package static func embed(
    _ loop: EventLoop,
    for operation: String,
    onChange: @escaping @MainActor () -> Void,
    onEnd: @escaping @MainActor () -> Void,
    turn: @escaping @MainActor @Sendable () -> Void
  ) throws(UVError) -> (Embedding, LoopSources) {
    let embedding = Embedding(loop) {
      MainActor.assumeIsolated { onChange() }
    } onEnd: {
      MainActor.assumeIsolated { onEnd() }
    } wake: {
      // Straight to the queue: by the descriptor it is Dispatch's own thread that wakes.
      queue(turn)
      return true
    }
    do throws(UVError) {
      return (embedding, try LoopSources(embedding.pollDescriptor, for: operation, onDue: turn))
    } catch {
      embedding.cancel()
      throw error
    }
  }

  /// Watches `descriptor` for `operation`, and calls `onDue` on the main queue.
  private init(
    _ descriptor: Int32,
    for operation: String,
    onDue: @escaping @MainActor () -> Void
  ) throws(UVError) {
    // A source is cancelled later than the loop closes its own.
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { throw UVError(code: -errno, operation: operation) }
    readable = DispatchSource.makeReadSource(fileDescriptor: copy, queue: .main)
    timer = DispatchSource.makeTimerSource(queue: .main)
    readable.setEventHandler { MainActor.assumeIsolated { onDue() } }
    readable.setCancelHandler { close(copy) }
    timer.setEventHandler { [weak self] in
      MainActor.assumeIsolated {
        self?.armed = nil
        onDue()
      }
    }
    readable.activate()
    timer.activate()
  }

  /// Ends the watching. Nothing is called from now on.
  package func cancel() {
    readable.cancel()
    timer.cancel()
    // Dispatch lets go of none that is suspended.
    resume()
  }

  /// Leaves the descriptor alone until `resume()`: it stays readable while no turn can
  /// be made, and would be reported again and again.
  package func suspend() {
    guard !isSuspended else { return }
    isSuspended = true
    readable.suspend()
  }

  /// Watches the descriptor again.
  package func resume() {
    guard isSuspended else { return }
    isSuspended = false
    readable.resume()
  }

  /// Calls `body` in a block of the main queue.
  package nonisolated static func queue(_ body: @escaping @MainActor @Sendable () -> Void) {
    DispatchQueue.main.async { MainActor.assumeIsolated { body() } }
  }

  /// Has the timer come in `timeout`; nil: not at all.
  ///
  /// To set a timer wakes Dispatch's manager thread, some 10 µs; so one that comes
  /// earlier than needed is left, and finds nothing to do.
  package func arm(_ timeout: Duration?) {
    guard let timeout else { return }
    let deadline = LoopClock.now.advanced(by: timeout)
    if let armed, armed <= deadline { return }
    armed = deadline
    timer.schedule(deadline: .now() + .nanoseconds(timeout.nanoseconds), leeway: .nanoseconds(0))
  }

  /// Traps where another thread serves the main queue.
  package static func checkMainThread() {
    require(
      System.isMainThread,
      """
      DispatchHost: the main queue is served by another thread than the first, by dispatchMain() or \
      an asynchronous main; serve it on the first, by RunLoop.main
      """
    )
  }
}

extension Duration {
  fileprivate var nanoseconds: Int {
    let (seconds, attoseconds) = components
    let (whole, isOver) = Int(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    if isOver { return .max }
    let (sum, isTooLong) = whole.addingReportingOverflow(Int(attoseconds / 1_000_000_000))
    return isTooLong ? .max : sum
  }
}
