import LoopTransactions
import Synchronization

/// When something that a worker may be drawing was cancelled, for who measures how soon
/// the worker is free. Of one operation.
package final class CancelWatch: Sendable {
  /// Told how long that took, and for how long of it the worker computed; nil where the
  /// system does not say.
  package typealias Report = @Sendable (_ after: Duration, _ computed: Duration?) -> Void

  private let report: Report
  // The worker's clock; 0: none. Relaxed: a number, by which nothing else is handed over.
  private let clock = Atomic<Int32>(0)
  // What the worker had computed when it began, in ns; 0: not known. Its own.
  private let began = Atomic<UInt64>(0)
  // The same, when it was cancelled; 0: not known, or the worker had not begun.
  private let computed = Atomic<UInt64>(0)
  // In ns; 0: it was not cancelled. Stored after `computed`, with release, and loaded
  // before it, with acquire: who sees the one sees the other. Who sees an operation
  // cancelled and this not yet counts nothing.
  private let instant = Atomic<UInt64>(0)

  /// One that tells `report`; nil if nobody wants to know.
  package init?(_ report: Report?) {
    guard let report else { return nil }
    self.report = report
  }

  /// Its worker begins. On the worker, first of all.
  package func begin() {
    guard let own = ThreadClock.current else { return }
    began.store(own.nanoseconds ?? 0, ordering: .relaxed)
    clock.store(own.rawValue, ordering: .relaxed)
  }

  /// It is being cancelled: just before it is.
  package func cancel() {
    // The worker's clock within the other, here and at the end: it says no more than that.
    let now = LoopClock.now.nanoseconds
    let clock = clock.load(ordering: .relaxed)
    if clock != 0 {
      computed.store(ThreadClock(rawValue: clock).nanoseconds ?? 0, ordering: .relaxed)
    }
    instant.store(now, ordering: .releasing)
  }

  /// Its worker has nothing more to do for it. On the worker.
  package func end() {
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
  /// Empty: reflection traps at an atomic.
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}
