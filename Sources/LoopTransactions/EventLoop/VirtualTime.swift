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
  private let task = VirtualTime.currentTask
  private let isOnActor: Bool

  /// Whether the loop may move to the calling thread: the caller runs in the
  /// task in which the clock was created, or the clock was created on an actor,
  /// which orders the tasks that use it. Call from any thread.
  var mayFollow: Bool {
    guard let current = Self.currentTask else { return false }
    return isOnActor || task == current
  }

  private static var currentTask: Int? { withUnsafeCurrentTask { $0?.hashValue } }

  /// The function in which the loop first moved to another thread.
  package private(set) var firstMove: StaticString?

  /// Whether the loop moved to another thread without an actor.
  package var didMoveWithoutActor: Bool { firstMove != nil && !isOnActor }

  func didMove(_ operation: StaticString) { if firstMove == nil { firstMove = operation } }

  /// Determines the order of timers that are due at the same instant. If nil,
  /// they fire in the order in which they were started.
  package var rank: (() -> UInt64)?

  private struct Entry {
    let timer: LoopTimer
    let turn: UInt64
    let rank: UInt64

    var key: (UInt64, UInt64, UInt64) { (timer.due.nanoseconds, rank, turn) }
  }

  private var waiting: [Entry] = []
  private var turns: UInt64 = 0

  /// Creates a clock that shows `nanoseconds`.
  ///
  /// - Parameter isOnActor: Whether an actor isolates the loop.
  package init(nanoseconds: UInt64 = 1_000_000_000, isOnActor: Bool = false) {
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
  /// with equal deadlines fire in the order in which they were started. A timer
  /// that a callback starts waits for the next call.
  package func fireDue() {
    let due = waiting.filter { $0.timer.due.nanoseconds <= nanoseconds }
      .sorted { $0.key < $1.key }
    for one in due {
      guard let index = waiting.firstIndex(where: { $0.turn == one.turn }) else { continue }
      waiting.remove(at: index)
      one.timer.timerFired()
    }
  }

  func add(_ timer: LoopTimer) {
    turns += 1
    waiting.append(Entry(timer: timer, turn: turns, rank: rank?() ?? 0))
  }

  func remove(_ timer: LoopTimer) { waiting.removeAll { $0.timer === timer } }
}
