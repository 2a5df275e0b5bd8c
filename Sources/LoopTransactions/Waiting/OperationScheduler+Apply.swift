import Synchronization

extension OperationScheduler {
  /// Calls `body` with every integer in `0..<count`, on this thread and on
  /// workers, and returns when all calls have returned.
  ///
  /// Call from any thread, including from an operation. This thread takes part,
  /// and does not wait for workers that have not begun. The order of the calls
  /// is unspecified.
  ///
  /// See also: `DispatchQueue.concurrentPerform` is the counterpart in
  /// Dispatch.
  ///
  /// - Precondition: `count` is not negative.
  /// - Complexity: O(n).
  public func apply(
    _ count: Int,
    priority: OperationPriority = .normal,
    _ body: @Sendable (Int) -> Void
  ) {
    require(count >= 0, "OperationScheduler.apply: count must not be negative, got \(count)")
    let helpers = min(workerLimit, count - 1)
    guard helpers > 0 else { return (0..<count).forEach(body) }
    withoutActuallyEscaping(body) { body in
      let share = SharedRange(count, among: helpers + 1, body)
      let operations = (0..<helpers).compactMap { _ in
        core.add(.owner(share), level: OperationBacklog.level(priority))
      }
      share.run()
      for operation in operations { _ = core.cancel(operation) }
      share.waitForOthers()
      share.releaseBody()
    }
  }
}

/// A range of integers that several threads divide among themselves.
private final class SharedRange: OperationOwner, @unchecked Sendable {
  // @unchecked: `body` is changed only while no other thread uses it. The other
  // properties are constant or atomic.

  private let count: Int
  private var body: (@Sendable (Int) -> Void)?
  private let chunk: Int
  private let next = Atomic<Int>(0)
  private let helpers: Atomic<Int>
  private let parking = Parking()
  /// The operations that wait for this call of `apply`, innermost first.
  private let callers = CurrentOperation.owners

  init(_ count: Int, among threads: Int, _ body: @escaping @Sendable (Int) -> Void) {
    self.count = count
    self.body = body
    // 8 chunks per thread, so that a stalled thread holds back only a small
    // part of the range. Not measured.
    chunk = max(1, count / (threads * 8))
    helpers = Atomic(threads - 1)
  }

  override func run(_ operation: ScheduledOperation) { run() }

  func run() {
    guard let body else { return }
    // Relaxed: only the index is shared.
    var first = next.wrappingAdd(chunk, ordering: .relaxed).oldValue
    while first < count {
      for number in first..<min(first + chunk, count) { body(number) }
      first = next.wrappingAdd(chunk, ordering: .relaxed).oldValue
    }
  }

  func waitForOthers() {
    // Acquire: pairs with the release in `operationEnded`. The last helper
    // always wakes this thread.
    guard helpers.load(ordering: .acquiring) > 0 else { return parking.sleep() }
    let wait = WaitTable.shared.begin(.helpers(self))
    parking.sleep()
    WaitTable.shared.end(wait)
  }

  /// Releases the body. Call when no thread runs it.
  func releaseBody() { body = nil }

  // A transaction that waits for the caller also waits for its helpers.
  override func isAwaited(by transaction: AnyObject) -> Bool {
    callers.contains { $0.isAwaited(by: transaction) }
  }

  override var title: String { callers.first?.title ?? super.title }

  override func operationEnded(_ end: OperationEnd) {
    // Acquire and release: the waiting thread sees everything the helpers did.
    if helpers.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 {
      parking.wake()
    }
  }
}
