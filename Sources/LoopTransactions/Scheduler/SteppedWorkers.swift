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
    /// body had begun.
    case begin(Int)
    /// Run the body of the operation that has begun, and end it.
    case finish(Int)
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
  /// Returns when an operation that begins now may finish, in nanoseconds.
  private let finishTime: () -> UInt64

  package init(choose: @escaping (Int) -> Int, finishTime: @escaping () -> UInt64) {
    self.choose = choose
    self.finishTime = finishTime
  }

  func attach(to core: SchedulerCore) { self.core = core }

  /// Releases the scheduler. Operations that have not finished never do.
  package func end() { (core, awake, asleep) = (nil, [], []) }

  /// The steps that are possible at time `now`: first those that begin an
  /// operation, then those that finish one.
  package func steps(at now: UInt64) -> [Step] {
    settle()
    return beginnings
      + awake.indices.filter { awake[$0].operation != nil && awake[$0].due <= now }
      .map { Step.finish($0) }
  }

  /// When the next operation may finish, in nanoseconds. Nil if none has begun.
  package var nextDue: UInt64? {
    awake.lazy.filter { $0.operation != nil }.map(\.due).min()
  }

  /// Grows whenever a caller adds, cancels, moves or claims an operation.
  package var interventions: UInt64 { core?.ask { $0.added &+ $0.interventions } ?? 0 }

  /// Takes one of the steps that `steps(at:)` returned.
  package func take(_ step: Step) {
    guard let core else { return }
    switch step {
    case .begin(let index): begin(index, core)
    case .finish(let index): finish(index, core)
    }
  }

  /// Runs `handle` on this thread if it has begun and not finished. Returns
  /// whether it ran.
  func runIfBegun(_ handle: OperationHandle) -> Bool {
    let index = awake.firstIndex {
      $0.operation?.node == handle.node && $0.operation?.generation == handle.generation
    }
    guard let core, let index else { return false }
    finish(index, core)
    return true
  }

  // Two workers differ only if one of them leaves the aging slot, and only if
  // the oldest operation is not the most urgent as well.
  private var beginnings: [Step] {
    guard let core, core.ask({ $0.backlog.count }) > 0 else { return [] }
    let ready = awake.indices.filter { awake[$0].operation == nil }
    let ordinary = ready.first { !awake[$0].worker.isInAgingSlot }
    let aging = ready.first { awake[$0].worker.isInAgingSlot }
    guard let ordinary, let aging else {
      return [ordinary ?? aging].compactMap { $0 }.map { .begin($0) }
    }
    let isSame = core.ask { $0.backlog.oldestIsHighest }
    return isSame ? [.begin(ordinary)] : [.begin(ordinary), .begin(aging)]
  }

  /// Wakes and starts workers, and sends those without work to sleep.
  private func settle() {
    guard let core else { return }
    while true {
      admit(core)
      let mayRest = core.ask { $0.backlog.count == 0 || $0.awake > $0.width }
      guard mayRest, let index = awake.firstIndex(where: { $0.operation == nil }) else { return }
      begin(index, core)
    }
  }

  /// Adds the workers that the state has woken, started or ended.
  private func admit(_ core: SchedulerCore) {
    while asleep.count > core.ask({ $0.sleeping }) {
      let worker = asleep.removeFirst()
      guard core.change({ $0.resume(worker) }) else { continue }
      worker.isSearching = true
      awake.append(Entry(worker: worker))
    }
    while awake.count < core.ask({ $0.awake }) { awake.append(Entry(worker: Worker())) }
  }

  private func begin(_ index: Int, _ core: SchedulerCore) {
    let worker = awake[index].worker
    let (step, action) = core.change { $0.next(worker, now: 0) }
    core.perform(action)
    switch step {
    case .run: claim(index)
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
