import Synchronization

/// One operation of a scheduler, in memory that the backlog reuses.
///
/// Protected by the scheduler's lock, except for `word`, which is atomic. A
/// node takes exactly one cache line, because it moves between the CPU that
/// adds the operation and the CPU that runs it. A larger node would move more
/// lines.
package struct OperationNode: ~Copyable {
  package typealias Pointer = UnsafeMutablePointer<OperationNode>

  /// The code that a worker runs for the operation.
  ///
  /// Moved, never copied, because a copy would count references.
  package enum Content: ~Copyable {
    /// A closure. Its argument lets it poll for cancellation.
    case body(@Sendable (ScheduledOperation) -> Void)
    /// An object that runs the operation and is notified when it ends.
    case owner(any OperationOwner)
    /// A job of Swift concurrency, and the scheduler it was enqueued on. The
    /// job's task may hold the last reference to that scheduler.
    case job(UnownedJob, OperationScheduler)
  }

  // The neighbours in the list of the level, in the order in which they start,
  // and in the list of all operations, by age.
  var next: Pointer?
  var previous: Pointer?
  var younger: Pointer?
  var older: Pointer?

  /// Nil if the node is free.
  package internal(set) var content: Content?

  /// Whether the operation was reclaimed, and where that put it.
  enum Reclaim: UInt8 {
    case never
    /// At the front of its level and of the list by age, whatever its age.
    case toFront
    /// At the front of the list by age only, because it was moved to another level.
    case moved
  }

  var reclaim = Reclaim.never

  var wasReclaimed: Bool { reclaim != .never }

  /// The level the operation is queued at.
  var level: UInt16 = 0

  /// The time the operation was added, in units of `WaitTimes.now`. 0 if waits
  /// are not measured.
  var addedAt: UInt32 = 0

  private let atomic = Atomic<UInt64>(0)

  /// The operation's number and state.
  ///
  /// Changed under the scheduler's lock, except when a worker claims a dequeued
  /// operation.
  var word: UInt64 {
    // Relaxed: a reader without the lock concludes nothing about other memory.
    atomic.load(ordering: .relaxed)
  }

  /// Sets `word`. Call with the scheduler's lock held.
  func setWord(_ desired: UInt64) {
    // Release: pairs with the acquire in `exchange(_:_:)`, because a thread can
    // claim the operation without holding the lock.
    atomic.store(desired, ordering: .releasing)
  }

  /// Sets `word` to `desired` if it is `expected`, and returns whether it was.
  func exchange(_ expected: UInt64, _ desired: UInt64) -> Bool {
    // Acquire: pairs with the release in `setWord(_:)`. Release: pairs with the
    // acquire of the next exchange.
    atomic.compareExchange(
      expected: expected,
      desired: desired,
      successOrdering: .acquiringAndReleasing,
      failureOrdering: .relaxed
    ).exchanged
  }

  /// The operation's number. A later operation has a larger one.
  var number: UInt64 { Self.number(of: word) }

  /// The word of a node without an operation. No operation has the number 0.
  static var free: UInt64 { 0 }
  /// The operation is in the backlog.
  static var queued: UInt64 { 1 }
  /// The operation was dequeued, and no worker has claimed it yet.
  static var dequeued: UInt64 { 2 }
  /// The operation was cancelled after a worker had claimed it.
  static var cancelled: UInt64 { 4 }
  /// The number of the first operation, and the difference between one number and
  /// the next. The lower bits hold the state.
  static var firstNumber: UInt64 { 8 }

  /// The bits of `word` that identify the operation.
  static func number(of word: UInt64) -> UInt64 { word & ~(firstNumber - 1) }
}

/// Wraps a body for inlinable code, which cannot name `Content`.
@usableFromInline
struct OperationBody: ~Copyable {
  let content: OperationNode.Content

  @usableFromInline
  init(_ body: consuming @escaping @Sendable (ScheduledOperation) -> Void) {
    content = .body(body)
  }
}

/// Refers to an operation that was added to a scheduler. Stays valid after the
/// operation has ended.
@usableFromInline
package struct OperationHandle: @unchecked Sendable {
  // @unchecked: the backlog owns the node, and the holder of the handle keeps
  // the scheduler's core alive. Only the atomic `word` is read here.

  package let node: OperationNode.Pointer
  let number: UInt64

  init(node: OperationNode.Pointer, number: UInt64) {
    self.node = node
    self.number = number
  }

  /// The operation that `node` currently holds. Call with the scheduler's lock
  /// held, or as the worker that dequeued it.
  init(node: OperationNode.Pointer) {
    self.init(node: node, number: OperationNode.number(of: node.pointee.word))
  }

  /// Whether the operation was dequeued and not yet claimed. A hint without the
  /// scheduler's lock.
  var isDequeued: Bool { node.pointee.word == number | OperationNode.dequeued }

  /// Claims the operation if it was dequeued and not yet claimed. Returns
  /// whether the caller now runs it.
  package func claim() -> Bool {
    node.pointee.exchange(number | OperationNode.dequeued, number)
  }

  /// Whether the operation was cancelled while it ran. One atomic read.
  package var isCancelled: Bool {
    let word = node.pointee.word
    return OperationNode.number(of: word) == number && word & OperationNode.cancelled != 0
  }

  /// Whether the operation has not ended. Exact only with the scheduler's lock
  /// held.
  package var isCurrent: Bool {
    OperationNode.number(of: node.pointee.word) == number
  }
}
