/// The workers of a scheduler that a test steps by hand.
///
/// The scheduler's state is the same as with threads: it decides how many
/// workers there are, and which operation a worker takes. The test decides
/// which worker goes on, so it can produce every order that threads can. O1,
/// O2, O3.
///
/// Belongs to the thread of the test. Other threads may add operations to the
/// scheduler.
package final class SteppedWorkers: @unchecked Sendable {
  // @unchecked: every property belongs to the thread of the test.

  /// A step that a worker can take. The number is the worker's.
  package enum Step: Equatable {
    /// Dequeue an operation. It can no longer be cancelled or moved, as if its
    /// body had begun. `isAging` is true if the worker leaves the aging slot.
    case begin(Int, isAging: Bool)
    /// Go to sleep, because no operation is queued. `isAging` is true if the
    /// worker leaves the aging slot.
    case rest(Int, isAging: Bool)
    /// Run the body of the operation that has begun, and end it.
    case finish(Int)
  }

  /// The effects of steps, and of callers, on the queue.
  package struct Effects {
    /// A caller added, cancelled, moved or claimed an operation.
    package var isChanged = false
    /// A caller read the metrics or changed a setting.
    package var isInspected = false
    /// A worker dequeued an operation, and the oldest one was not the most
    /// urgent one.
    package var isMixed = false
  }

  private struct Entry {
    let worker: Worker
    /// The operation that has begun.
    var operation: OperationHandle?
    /// When the operation may finish, in nanoseconds.
    var due: UInt64 = 0
  }

  // Retains the core, as threads do. The cycle ends in `end()`.
  private var core: SchedulerCore?
  private var awake: [Entry] = []
  private var asleep: [Worker] = []

  /// Chooses one of a number of possibilities, which it is given.
  package let choose: (Int) -> Int
  /// Whether operations take time.
  package let isTimed: Bool
  /// Returns when an operation that begins now may finish, in nanoseconds.
  private let finishTime: () -> UInt64

  // The counters of the state, when `takeEffects()` was last called.
  private var changes: UInt64 = 0
  private var inspections: UInt64 = 0
  private var isMixed = false

  package init(
    choose: @escaping (Int) -> Int,
    isTimed: Bool,
    finishTime: @escaping () -> UInt64
  ) {
    self.choose = choose
    self.isTimed = isTimed
    self.finishTime = finishTime
  }

  func attach(to core: SchedulerCore) { self.core = core }

  /// Releases the scheduler. Operations that have not finished never do.
  package func end() { (core, awake, asleep) = (nil, [], []) }

  /// The steps that are possible at time `now`: first those in which a worker
  /// asks for an operation, then those that finish one.
  package func steps(at now: UInt64) -> [Step] {
    advanceIdleWorkers()
    return requests
      + awake.indices.filter { awake[$0].operation != nil && awake[$0].due <= now }
      .map { Step.finish($0) }
  }

  /// When the next operation may finish, in nanoseconds. Nil if none has begun.
  package var nextDue: UInt64? {
    awake.lazy.filter { $0.operation != nil }.map(\.due).min()
  }

  /// Whether no operation can begin or finish at time `now`.
  package func isIdle(at now: UInt64) -> Bool {
    steps(at: now).allSatisfy { if case .rest = $0 { true } else { false } }
  }

  /// Returns the effects since the last call.
  package func takeEffects() -> Effects {
    guard let core else { return Effects() }
    let last = (changes, inspections, isMixed)
    (changes, inspections) = core.ask { ($0.added &+ $0.interventions, $0.inspections) }
    isMixed = false
    return Effects(
      isChanged: changes != last.0,
      isInspected: inspections != last.1,
      isMixed: last.2
    )
  }

  /// Takes one of the steps that `steps(at:)` returned.
  package func take(_ step: Step) {
    guard let core else { return }
    switch step {
    case .begin(let index, _), .rest(let index, _): begin(index, core)
    case .finish(let index): finish(index, core)
    }
  }

  /// Runs `handle` on this thread if it has begun and not finished. Returns
  /// whether it ran.
  func runIfBegun(_ handle: OperationHandle) -> Bool {
    let index = awake.firstIndex {
      $0.operation?.node == handle.node && $0.operation?.number == handle.number
    }
    guard let core, let index else { return false }
    finish(index, core)
    return true
  }

  /// Sends all workers to sleep that have no work.
  package func rest() {
    advanceIdleWorkers()
    guard let core else { return }
    while let step = requests.first, case .rest(let index, _) = step { begin(index, core) }
  }

  // Two workers that ask for an operation differ only if one of them leaves the
  // aging slot.
  private var requests: [Step] {
    guard let core else { return [] }
    let hasWork = core.ask { $0.backlog.count > 0 }
    let ready = awake.indices.filter { awake[$0].operation == nil }
    return [false, true].compactMap { isAging in
      guard let index = ready.first(where: { awake[$0].worker.isInAgingSlot == isAging }) else {
        return nil
      }
      return hasWork ? .begin(index, isAging: isAging) : .rest(index, isAging: isAging)
    }
  }

  /// Starts and wakes workers, and lets workers without work sleep. Both happen
  /// without a step of the test if the order makes no difference: no worker
  /// leaves the aging slot, and no worker is over the limit.
  private func advanceIdleWorkers() {
    guard let core else { return }
    while true {
      addAwakeWorkers(core)
      let canSleep = core.ask { $0.backlog.count == 0 && $0.awake <= $0.width }
      let index = awake.firstIndex { $0.operation == nil && !$0.worker.isInAgingSlot }
      guard canSleep, let index else { return }
      begin(index, core)
    }
  }

  /// Adds the workers that the state has woken, started or ended.
  private func addAwakeWorkers(_ core: SchedulerCore) {
    // One snapshot. Between two, a thread that adds an operation could wake a
    // worker, which would then be woken and replaced.
    let (sleeping, count) = core.ask { ($0.sleeping, $0.awake) }
    while asleep.count > sleeping {
      let worker = asleep.removeFirst()
      guard core.change({ $0.resume(worker) }) else { continue }
      worker.isSearching = true
      awake.append(Entry(worker: worker))
    }
    while awake.count < count { awake.append(Entry(worker: Worker())) }
  }

  private func begin(_ index: Int, _ core: SchedulerCore) {
    let worker = awake[index].worker
    let isSame = core.ask { $0.backlog.oldestIsHighest }
    let (step, action) = core.change { $0.next(worker, now: 0) }
    core.perform(action)
    switch step {
    case .run:
      isMixed = isMixed || !isSame
      claim(index)
    case .search: begin(index, core)
    case .sleep:
      asleep.append(worker)
      awake.remove(at: index)
    case .end: awake.remove(at: index)
    }
  }

  private func claim(_ index: Int) {
    let worker = awake[index].worker
    _ = worker.claimEach { operation in
      // `finish` ends the operation, before the worker asks for the next one.
      worker.handOver(operation)
      awake[index].operation = operation
      awake[index].due = finishTime()
    }
  }

  private func finish(_ index: Int, _ core: SchedulerCore) {
    guard let operation = awake[index].operation.take() else { return }
    if SchedulerCore.run(ScheduledOperation(core: core, handle: operation)) { core.end(operation) }
  }
}
