import Synchronization

/// A clock that moves only in calls of `move(to:)`, and its waiting timers.
///
/// A loop with a virtual clock never reads the system's clock. For tests; see
/// `LoopTransactionsTesting`. Belongs to the loop's thread.
package final class VirtualTime {
  // Relaxed: other threads only read the time, which orders no other memory.
  private let present: Atomic<UInt64>

  /// The current time, in nanoseconds. Read it on any thread.
  package var nanoseconds: UInt64 { present.load(ordering: .relaxed) }

  // The identity of the thread that runs a stepped operation of the loop, or 0.
  // Relaxed: a thread that compares it with its own identity with success has
  // stored it.
  private let operationCell = Atomic<UInt>(0)

  /// The identity of the thread that runs a stepped operation of the loop, or
  /// 0. Read it on any thread.
  var operationThread: UInt { operationCell.load(ordering: .relaxed) }

  func setOperationThread(_ thread: UInt) { operationCell.store(thread, ordering: .relaxed) }

  // Identifies the task in which the clock was created. Nil outside of a task.
  private let task = System.currentTask
  private let isOnActor: Bool

  /// Whether the loop may move to the calling thread: the caller runs in the
  /// task in which the clock was created, or the clock was created on an actor,
  /// which orders the tasks that use it. Call from any thread.
  var mayFollow: Bool {
    guard let current = System.currentTask else { return false }
    return isOnActor || task == current
  }

  /// The function in which the loop first moved to another thread.
  package private(set) var firstMove: StaticString?

  /// Whether the loop moved to another thread without an actor.
  package var didMoveWithoutActor: Bool { firstMove != nil && !isOnActor }

  func didMove(_ operation: StaticString) { if firstMove == nil { firstMove = operation } }

  /// Chooses one of a number of timers that are due at the same instant, in the
  /// order in which they were started. If nil, the first one is chosen.
  package var choose: ((Int) -> Int)?

  /// When each sleeping task wakes, in nanoseconds. The key identifies the task.
  package private(set) var sleeps: [Int: UInt64] = [:]

  /// Records that a task sleeps until `due`, or that it no longer sleeps.
  func setSleep(of task: Int, until due: UInt64?) { sleeps[task] = due }

  /// The number of committed transactions that have operations on threads, and
  /// that the test has not waited for.
  private var threadedCount = 0
  private var threadedName = ""

  /// The name of a committed transaction that has operations on threads, and
  /// that the test has not waited for. Nil if there is none.
  package var threadedTransaction: String? { threadedCount > 0 ? threadedName : nil }

  func didCommitThreaded(_ name: String) {
    threadedCount += 1
    threadedName = name
  }

  func didWaitForThreaded() { threadedCount -= 1 }

  /// Records that the test waited for all transactions.
  package func didWaitForAll() { threadedCount = 0 }

  private struct Entry {
    let timer: LoopTimer
    let turn: UInt64
    var due: UInt64 { timer.due.nanoseconds }
  }

  private var waiting: [Entry] = []
  private var turns: UInt64 = 0

  /// Creates a clock that shows `nanoseconds`.
  ///
  /// - Parameter isOnActor: Whether an actor isolates the loop.
  package init(nanoseconds: UInt64 = 1_000_000_000, isOnActor: Bool = false) {
    System.noteVirtualTime()
    present = Atomic(nanoseconds)
    self.isOnActor = isOnActor
  }

  /// The deadline of the first timer, or nil if there is none.
  package var nextDeadline: UInt64? { waiting.map(\.timer.due.nanoseconds).min() }

  /// Moves the clock to `nanoseconds`. Does not fire timers.
  package func move(to nanoseconds: UInt64) {
    present.store(max(self.nanoseconds, nanoseconds), ordering: .relaxed)
  }

  /// Fires the timers that are due, in the order of their deadlines. Timers
  /// with equal deadlines fire in the order that `choose` gives them. A timer
  /// that a callback starts waits for the next call.
  package func fireDue() {
    let (end, last) = (nanoseconds, turns)
    while let timer = removeNextDue(startedUntil: last, at: end) { timer.timerFired() }
  }

  /// Removes the next of the first `last` timers, if it is due at `time`.
  private func removeNextDue(startedUntil last: UInt64, at time: UInt64) -> LoopTimer? {
    let due = waiting.indices.filter { waiting[$0].turn <= last && waiting[$0].due <= time }
    guard let deadline = due.map({ waiting[$0].due }).min() else { return nil }
    let next = due.filter { waiting[$0].due == deadline }
    let choice = next.count > 1 ? choose?(next.count) : nil
    return waiting.remove(at: next[choice ?? 0]).timer
  }

  func add(_ timer: LoopTimer) {
    turns += 1
    waiting.append(Entry(timer: timer, turn: turns))
  }

  func remove(_ timer: LoopTimer) { waiting.removeAll { $0.timer === timer } }
}

/// The clock that a loop reads: the system's clock, or a virtual clock in
/// tests.
struct TimeSource {
  // Not retained, because counting references would cost more than reading the
  // clock. The loop retains it. Nil means the system's clock.
  private let virtual: Unmanaged<VirtualTime>?

  /// Creates a source that reads `virtual`, or the system's clock if nil.
  init(_ virtual: VirtualTime?) { self.virtual = virtual.map(Unmanaged.passUnretained) }

  /// Whether the clock is virtual.
  var isVirtual: Bool { virtual != nil }

  /// The current time, in nanoseconds.
  var nanoseconds: UInt64 {
    guard let virtual else { return System.nanoseconds }
    return virtual._withUnsafeGuaranteedRef { $0.nanoseconds }
  }
}
