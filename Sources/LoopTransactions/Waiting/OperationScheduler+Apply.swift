import Synchronization

extension OperationScheduler {
  /// Calls `body` with every integer in `0..<count`, on this thread and on
  /// workers, and returns when all calls have returned.
  ///
  /// Call from any thread: also on a loop, which makes no tick meanwhile, from
  /// an operation, and from `body`. Each integer is passed once, in an
  /// unspecified order. This thread takes part. Up to `workerLimit` workers
  /// join it as they become free. They compete for workers like an operation of
  /// this priority, and this thread does not wait for workers that have not
  /// joined. Thus no nesting of calls deadlocks.
  ///
  /// Threads claim chunks of consecutive integers, which become smaller towards
  /// the end. Calls may take different times.
  ///
  /// On the scheduler of a `SteppedScheduler`, this thread makes all calls, in
  /// order. To keep a thread of Swift's concurrency pool free, call this inside
  /// `await run`.
  ///
  /// See also: `DispatchQueue.concurrentPerform` is the counterpart in
  /// Dispatch.
  ///
  /// - Precondition: `count` is not negative.
  /// - Complexity: O(n). Allocates one object.
  public func apply(
    _ count: Int,
    priority: OperationPriority = .normal,
    _ body: @Sendable (Int) -> Void
  ) {
    require(count >= 0, "OperationScheduler.apply: count must not be negative, got \(count)")
    core.checkProcess()
    guard count > 1, core.stepped == nil else { return (0..<count).forEach(body) }
    withoutActuallyEscaping(body) { body in
      let apply = SharedApply(count, on: core, level: OperationBacklog.level(priority), body)
      apply.perform()
    }
  }
}

/// One call of `apply`, which several threads share. The owner of the operations
/// by which workers join it.
private final class SharedApply: OperationOwner, @unchecked Sendable {
  // @unchecked: `body` is written before a worker can see this object, and
  // cleared after the last call of it. `joining` and `joins` are written by the
  // caller, then by each worker that joins, in turn: an operation that joins is
  // added after the last one has begun. The caller reads `joining` after all
  // calls have ended. `parking` is written before a waiter is registered. The
  // other properties are constant or atomic.

  private let core: SchedulerCore
  private let level: Int
  private let chunks: ApplyChunks
  private var body: (@Sendable (Int) -> Void)?
  /// The operation by which one more worker may join.
  private var joining: OperationHandle?
  /// How many more workers may join.
  private var joins: Int
  private var parking: Parking?
  private let claimed = Atomic<Int>(0)
  private let calls: Atomic<UInt64>
  /// The operations that wait for this call of `apply`, innermost first.
  private let callers = CurrentOperation.owners

  init(
    _ count: Int,
    on core: SchedulerCore,
    level: Int,
    _ body: @escaping @Sendable (Int) -> Void
  ) {
    self.core = core
    self.level = level
    self.body = body
    joins = min(core.ask { $0.limit }, count - 1)
    chunks = ApplyChunks(count: count, threads: joins + 1)
    calls = Atomic(ApplyCalls(unended: count).word)
  }

  /// Makes all calls, on this thread and on the workers that join it.
  func perform() {
    addJoining()
    if let chunk = claim() { end(call(chunk)) }
    waitForOthers()
    if let joining { _ = core.cancel(joining) }
    body = nil
  }

  /// Joins on a worker.
  func run(_ operation: ScheduledOperation) {
    guard let chunk = claim() else { return }
    // One after the other, because a worker dequeues several operations at once
    // if they are short.
    addJoining()
    end(call(chunk))
  }

  /// Adds the operation by which the next worker joins.
  private func addJoining() {
    joining = nil
    // Relaxed: a hint. A worker that finds no chunk leaves again.
    guard joins > 0, claimed.load(ordering: .relaxed) < chunks.count else { return }
    joins -= 1
    // Written under the scheduler's lock, so that the worker that joins sees it.
    core.add(.owner(self), level: level) { joining = $0 }
  }

  private func claim() -> Range<Int>? {
    // Relaxed: only the count is shared. `calls` orders the effects of calls.
    var first = claimed.load(ordering: .relaxed)
    while let chunk = chunks.next(claimed: first) {
      let (isDone, now) = claimed.weakCompareExchange(
        expected: first,
        desired: chunk.upperBound,
        ordering: .relaxed
      )
      if isDone { return chunk }
      first = now
    }
    return nil
  }

  /// Calls the body with the integers of `chunk` and of all chunks that this
  /// thread claims after it. Returns the number of calls.
  // Not inlined, so that the body is released before the calls end. The caller
  // of `apply` may then return.
  @inline(never)
  private func call(_ chunk: Range<Int>) -> Int {
    guard let body else { return 0 }
    var count = 0
    var next: Range<Int>? = chunk
    while let chunk = next {
      for number in chunk { body(number) }
      count += chunk.count
      next = claim()
    }
    return count
  }

  private func end(_ count: Int) {
    if change({ $0.end(count) }) { parking?.wake() }
  }

  /// Returns when all calls have returned.
  private func waitForOthers() {
    // Longer than waking takes, as for a searching worker.
    let end = System.nanoseconds + SchedulerCore.searchTime
    // Acquire: pairs with the release in `change(_:)`.
    while ApplyCalls(word: calls.load(ordering: .acquiring)).unended > 0 {
      guard System.nanoseconds < end else { return sleep() }
      System.pause()
    }
  }

  private func sleep() {
    let parking = Parking()
    self.parking = parking
    let wait = WaitTable.shared.begin(.helpers(self))
    if change({ $0.beginWait() }) { parking.sleep() }
    WaitTable.shared.end(wait)
  }

  private func change<Result>(_ body: (inout ApplyCalls) -> Result) -> Result {
    var before = calls.load(ordering: .relaxed)
    while true {
      var state = ApplyCalls(word: before)
      let result = body(&state)
      // Acquire and release: the caller of `apply` sees the effects of all calls,
      // and the last thread sees the parking.
      let (isDone, now) = calls.weakCompareExchange(
        expected: before,
        desired: state.word,
        successOrdering: .acquiringAndReleasing,
        failureOrdering: .relaxed
      )
      if isDone { return result }
      before = now
    }
  }

  // A transaction that waits for the caller also waits for its helpers.
  func isAwaited(by transaction: ObjectIdentifier) -> Bool {
    callers.contains { $0.isAwaited(by: transaction) }
  }

  var title: String { callers.first?.title ?? "operation" }
}

/// How the threads of one `apply` divide its indices. O14.
///
/// The indices below the claimed count belong to a thread; the others are free.
/// A thread claims a chunk with one compare-and-exchange of that count.
package struct ApplyChunks: Sendable {
  package let count: Int
  /// The number of threads that may take part.
  package let threads: Int

  package init(count: Int, threads: Int) {
    self.count = count
    self.threads = threads
  }

  /// The next chunk if `claimed` indices are claimed, or nil if all are.
  ///
  /// The chunks shrink: each is a thread's share of half of the free indices.
  /// The threads thus claim O(t log n) chunks, and a thread that stalls in the
  /// last ones holds back one index.
  // Half, as in factoring (Hummel, Schonberg and Flynn, 1992).
  package func next(claimed: Int) -> Range<Int>? {
    guard claimed < count else { return nil }
    return claimed..<claimed + max(1, (count - claimed) / (2 * threads))
  }
}

/// The calls of one `apply` that have not returned, packed into one atomic
/// word. O14.
package struct ApplyCalls {
  package private(set) var unended: Int
  /// Whether the thread that called `apply` sleeps until the last call has
  /// returned.
  package private(set) var hasWaiter = false

  package init(unended: Int) { self.unended = unended }

  /// Unpacks `word`.
  package init(word: UInt64) {
    unended = Int(word >> 1)
    hasWaiter = word & 1 != 0
  }

  /// The state, packed.
  package var word: UInt64 { UInt64(unended) << 1 | (hasWaiter ? 1 : 0) }

  /// Records that `count` calls have returned. Returns whether the caller must
  /// wake the waiting thread.
  package mutating func end(_ count: Int) -> Bool {
    unended -= count
    checkInvariants()
    return unended == 0 && hasWaiter
  }

  /// Registers the waiting thread. Returns false if all calls have returned.
  package mutating func beginWait() -> Bool {
    hasWaiter = unended > 0
    return hasWaiter
  }

  package func checkInvariants() {
    assert(unended >= 0, "ApplyCalls: more calls returned than were made: \(unended)")
  }
}
