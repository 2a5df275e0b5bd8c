import Synchronization

extension OperationScheduler {
  /// Calls `body` with every number below `count`, on this thread and on workers, and
  /// returns when all are done.
  ///
  /// Call from any thread, from an operation too: this thread takes part, and waits for
  /// none that has not begun. The order is not stated.
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

/// Numbers that some threads share out among themselves.
private final class SharedRange: OperationOwner, @unchecked Sendable {
  // @unchecked: `body` is changed when nobody else uses it any more; the rest are
  // constants and atomics.

  private let count: Int
  private var body: (@Sendable (Int) -> Void)?
  private let chunk: Int
  private let next = Atomic<Int>(0)
  private let helpers: Atomic<Int>
  private let parking = Parking()
  /// The operations that wait for this `apply`, innermost first.
  private let callers = CurrentOperation.owners

  init(_ count: Int, among threads: Int, _ body: @escaping @Sendable (Int) -> Void) {
    self.count = count
    self.body = body
    // 8 chunks each: who is held up leaves little to wait for. Guess.
    chunk = max(1, count / (threads * 8))
    helpers = Atomic(threads - 1)
  }

  override func run(_ operation: ScheduledOperation) { run() }

  func run() {
    guard let body else { return }
    // Relaxed: which numbers are taken is all that is shared.
    var first = next.wrappingAdd(chunk, ordering: .relaxed).oldValue
    while first < count {
      for number in first..<min(first + chunk, count) { body(number) }
      first = next.wrappingAdd(chunk, ordering: .relaxed).oldValue
    }
  }

  func waitForOthers() {
    // Acquiring, as `operationEnded`. The last helper wakes this thread in any case.
    guard helpers.load(ordering: .acquiring) > 0 else { return parking.sleep() }
    let wait = WaitTable.shared.begin(.helpers(self))
    parking.sleep()
    WaitTable.shared.end(wait)
  }

  /// Releases the body. Once nobody runs it any more.
  func releaseBody() { body = nil }

  // Who waits for the caller waits for its helpers.
  override func isAwaited(by transaction: AnyObject) -> Bool {
    callers.contains { $0.isAwaited(by: transaction) }
  }

  override var title: String { callers.first?.title ?? super.title }

  override func operationEnded(_ end: OperationEnd) {
    // Acquire and release: who waits sees what every helper did.
    if helpers.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 {
      parking.wake()
    }
  }
}
