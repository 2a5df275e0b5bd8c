internal import Dispatch
package import LoopTransactions

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// The dispatch sources that tell the main queue when a loop is due.
@MainActor
package final class LoopSources {
  private let readable: any DispatchSourceRead
  private let timer: any DispatchSourceTimer
  // The deadline of the timer, or nil if it is not armed.
  private var armed: LoopClock.Instant?
  // Whether Dispatch has opened the descriptors that all sources share.
  private static var isServed = false
  // Whether the source of the descriptor is suspended.
  private var isSuspended = false

  /// Embeds `loop`, with sources that call `turn` when the loop is due. Errors
  /// contain `operation`.
  ///
  /// - Parameters:
  ///   - onChange: Called on the main thread; see `Embedding`.
  ///   - onEnd: Called on the main thread; see `Embedding`.
  ///   - turn: Called on the main queue. Must make a turn.
  /// - Throws: `UVError` if the system is out of descriptors. The loop is then
  ///   not embedded.
  package static func embed(
    _ loop: EventLoop,
    for operation: String,
    onChange: @escaping @MainActor () -> Void,
    onEnd: @escaping @MainActor () -> Void,
    turn: @escaping @MainActor @Sendable () -> Void
  ) throws(UVError) -> (Embedding, LoopSources) {
    if !isServed { try System.checkDispatch(operation) }
    // Enqueued directly on the main queue, because the descriptor would first wake a
    // thread of Dispatch.
    let wake = HostWake {
      queue(turn)
      return true
    }
    let embedding = Embedding(loop, hostWake: wake, servesMainQueue: true) {
      MainActor.assumeIsolated { onChange() }
    } onEnd: {
      MainActor.assumeIsolated { onEnd() }
    }
    do throws(UVError) {
      let sources = try LoopSources(embedding.pollDescriptor, for: operation, onDue: turn)
      isServed = true
      return (embedding, sources)
    } catch {
      embedding.cancel()
      throw error
    }
  }

  /// Watches `descriptor` and calls `onDue` on the main queue. Errors contain
  /// `operation`.
  private init(
    _ descriptor: Int32,
    for operation: String,
    onDue: @escaping @MainActor () -> Void
  ) throws(UVError) {
    // Duplicated, because Dispatch cancels a source only after the loop has
    // closed its own descriptor.
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
    // One year. Dispatch opens its timerfd now, and not when it may be out of descriptors:
    // it would lose the timer.
    timer.schedule(deadline: .now() + .seconds(31_536_000))
    readable.activate()
    timer.activate()
  }

  /// Cancels the sources. Nothing is called from now on.
  package func cancel() {
    readable.cancel()
    timer.cancel()
    // Dispatch does not release a suspended source.
    resume()
  }

  /// Stops watching the descriptor until `resume()`. Otherwise, while no turn
  /// can be made, the descriptor stays readable and is reported repeatedly.
  package func suspend() {
    guard !isSuspended else { return }
    isSuspended = true
    readable.suspend()
  }

  /// Resumes watching the descriptor.
  package func resume() {
    guard isSuspended else { return }
    isSuspended = false
    readable.resume()
  }

  /// Calls `body` in a block on the main queue.
  package nonisolated static func queue(_ body: @escaping @MainActor @Sendable () -> Void) {
    DispatchQueue.main.async { MainActor.assumeIsolated { body() } }
  }

  /// Arms the timer to fire after `timeout`, or not at all if nil.
  ///
  /// Setting a timer wakes Dispatch's manager thread, which takes about 10 µs.
  /// A timer that is already armed for an earlier time is therefore kept. When
  /// it fires, there is nothing to do.
  package func arm(_ timeout: Duration?) {
    guard let timeout else { return }
    let deadline = LoopClock.now.advanced(by: timeout)
    if let armed, armed <= deadline { return }
    armed = deadline
    timer.schedule(deadline: .now() + .nanoseconds(timeout.nanoseconds), leeway: .nanoseconds(0))
  }

  /// Traps if another thread serves the main queue.
  package static func checkMainThread() {
    require(
      System.isMainThread,
      """
      DispatchHost: the main thread must serve the main queue, but another thread does, because \
      of dispatchMain() or an async main; run RunLoop.main on the main thread instead
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
