import CUV
import Synchronization

/// The place where a thread publishes the code that it runs, for signal
/// handlers, the watchdog and other processes.
///
/// The thread that claimed the slot writes to it. Any thread may read it. A
/// reader must not use the fields of a slot that it does not hold to conclude
/// anything about other memory.
struct WorkSlot: @unchecked Sendable {
  // @unchecked: the table is never unmapped, and all accesses are atomic.

  /// The kind of thread.
  enum Kind: UInt32 {
    case loop = 1
    case worker = 2
    /// A loop with a virtual clock. Other threads cannot use its times.
    case steppedLoop = 3
  }

  private let slot: UnsafeMutablePointer<lt_work_slot>

  // The number of readers. Relaxed: orders no other memory.
  private static let readers = Atomic<Int>(0)

  /// Whether there are readers. If so, workers publish their operations.
  static var isWanted: Bool { readers.load(ordering: .relaxed) > 0 }

  /// Makes workers publish their operations, until `removeReader()`.
  static func addReader() { readers.add(1, ordering: .relaxed) }

  /// Reverts one `addReader()`.
  static func removeReader() { readers.subtract(1, ordering: .relaxed) }

  private static let table = SendableTable()

  private struct SendableTable: @unchecked Sendable {
    // @unchecked: mapped once, and never unmapped.
    let slots = lt_work_slots_map()
  }

  /// Claims a slot for the calling thread. Returns nil if 256 threads have one,
  /// or if the system refused the table.
  static func claim(_ kind: Kind, name: String) -> WorkSlot? {
    lt_work_slot_claim(table.slots, lt_thread_number(), kind.rawValue, name).map {
      WorkSlot(slot: $0)
    }
  }

  /// The slot of the calling thread, if it has one.
  static var ofThisThread: WorkSlot? {
    lt_work_slot_find(table.slots, lt_thread_number()).map { WorkSlot(slot: $0) }
  }

  /// Gives the slot back. Call on the thread that claimed it, or after that
  /// thread stopped using it.
  func free() { lt_work_slot_free(slot) }

  /// Gives the slot to the calling thread. The thread that has it must not use
  /// it at the same time.
  func moveToThisThread() { lt_work_slot_move(slot, lt_thread_number()) }

  /// Publishes that the code that `work` names began at `now`.
  ///
  /// - Parameter work: An `OwnerWord`.
  func run(_ work: UInt64, at now: UInt64) { lt_work_slot_work(slot, work, now) }

  /// Publishes that a tick or an operation began at `now`, with the code that
  /// `work` names.
  ///
  /// - Parameter work: An `OwnerWord`.
  func begin(_ work: UInt64, at now: UInt64) { lt_work_slot_begin(slot, work, now) }

  /// Publishes that the thread waits for work since `now`.
  func end(at now: UInt64) { lt_work_slot_end(slot, now) }

  /// The thread's number, as the kernel knows it. 0 if the slot is free.
  var thread: UInt32 { lt_work_slot_thread(slot) }

  /// The `OwnerWord` of the running code, or 0 while the thread waits for work.
  var work: UInt64 { lt_work_slot_running(slot) }

  /// The slot, for `StackCapture`.
  var pointer: UnsafePointer<lt_work_slot> { UnsafePointer(slot) }

  /// The times of a slot, in units of `CycleClock.cycles`.
  struct Reading: Equatable {
    /// The number of ticks or operations begun.
    var hold: UInt64
    /// When the running tick or operation began. 0 while the thread waits.
    var since: UInt64
    /// When the last one ended.
    var ended: UInt64
    /// The `OwnerWord` of the running code, or 0.
    var work: UInt64
    /// When that code began.
    var began: UInt64
  }

  /// Reads the times. Returns nil if a tick or operation began meanwhile.
  var reading: Reading? {
    var copy = lt_work_slot()
    guard lt_work_slot_read(slot, &copy) != 0 else { return nil }
    return Reading(
      hold: copy.hold,
      since: copy.since,
      ended: copy.ended,
      work: copy.work,
      began: copy.began
    )
  }
}

extension WorkSlot: Hashable {}
