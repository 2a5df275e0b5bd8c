import LoopTransactions
import Synchronization

/// Measures how soon a worker stops after its operation was cancelled.
///
/// A watch belongs to one operation. AsyncDisplay makes its own watches, for
/// `Display.onStopped`. Make one for an operation of your own, such as a
/// `Display.build`, to report its cancellation in the same way. Any thread may use
/// a watch.
///
/// ```swift
/// let watch = CancelWatch(display.onStopped)
/// let operation = display.build { _ -> sending TextNode in
///   watch?.begin()
///   defer { watch?.end() }
///   return TextNode()
/// } completion: { outcome in
///   outcome.value?.load(in: display, scale: 2)
/// }
///
/// // On the loop, when the node is no longer needed:
/// watch?.cancel()
/// operation.cancel()
/// ```
public final class CancelWatch: Sendable {
  /// Called with the time from the cancellation to the end of the work, and the
  /// CPU time the worker spent in that period. The CPU time is nil where the
  /// system does not provide it.
  public typealias Report = @Sendable (_ after: Duration, _ computed: Duration?) -> Void

  private let report: Report
  // The worker's CPU clock, or 0 if there is no clock. Relaxed: a plain number
  // that publishes nothing else.
  private let clock = Atomic<Int32>(0)
  // The worker's CPU time in ns when it began, or 0 if the time is unknown.
  // Only the worker writes it.
  private let began = Atomic<UInt64>(0)
  // The worker's CPU time in ns when the operation was cancelled, or 0 if the
  // time is unknown or the worker had not begun.
  private let computed = Atomic<UInt64>(0)
  // The time of the cancellation in ns, or 0 if the operation is not cancelled.
  // Release: `cancel()` stores `computed` first. Acquire: `end()` reads
  // `computed` afterwards. A worker reports nothing if it sees its operation as
  // cancelled but still reads 0 here.
  private let instant = Atomic<UInt64>(0)

  /// Creates a watch that calls `report`. Returns nil if `report` is nil.
  public init?(_ report: Report?) {
    guard let report else { return nil }
    self.report = report
  }

  /// Starts measuring.
  ///
  /// Call on the worker before it does anything else.
  public func begin() {
    guard let own = ThreadClock.current else { return }
    began.store(own.nanoseconds ?? 0, ordering: .relaxed)
    clock.store(own.rawValue, ordering: .relaxed)
  }

  /// Records the time of the cancellation.
  ///
  /// Call from any thread, immediately before cancelling the operation.
  public func cancel() {
    // The worker's CPU clock is read between the two readings of the wall
    // clock, here and in `end()`. The CPU time therefore never exceeds the
    // elapsed time.
    let now = LoopClock.now.nanoseconds
    let clock = clock.load(ordering: .relaxed)
    if clock != 0 {
      computed.store(ThreadClock(rawValue: clock).nanoseconds ?? 0, ordering: .relaxed)
    }
    instant.store(now, ordering: .releasing)
  }

  /// Reports how long the worker took to stop, if `cancel()` was called.
  ///
  /// Call on the worker after the last work of the operation.
  public func end() {
    let cancelled = instant.load(ordering: .acquiring)
    guard cancelled > 0 else { return }
    let seen = computed.load(ordering: .relaxed)
    let before = seen > 0 ? seen : began.load(ordering: .relaxed)
    let total = before > 0 ? ThreadClock.current?.nanoseconds : nil
    let after = LoopClock.Instant(nanoseconds: cancelled).duration(to: LoopClock.now)
    report(after, total.map { .nanoseconds($0 - min($0, before)) })
  }
}

extension CancelWatch: CustomReflectable {
  /// An empty mirror, because reflection traps at an atomic.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
