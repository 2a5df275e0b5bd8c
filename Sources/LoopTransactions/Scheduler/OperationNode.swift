import Synchronization

/// What a scheduler knows of one operation, in memory that is used again.
///
/// Belongs to a backlog, under its scheduler's lock; `word` alone is read without
/// it. One cache line: it goes from the processor that adds to the one that runs it
/// and back, and each line of it would.
package struct OperationNode: ~Copyable {
  package typealias Pointer = UnsafeMutablePointer<OperationNode>

  /// What an operation runs.
  ///
  /// Moved, never copied: a copy counts references.
  package enum Content: ~Copyable {
    /// Told the operation, which may ask whether it was cancelled.
    case body(@Sendable (ScheduledOperation) -> Void)
    /// Runs it, and is told of its end.
    case owner(OperationOwner)
    /// A job of Swift's concurrency, and what it was enqueued on: its task may be all
    /// that keeps the scheduler.
    case job(UnownedJob, OperationScheduler)
  }

  // Neighbours of the same level, in the order of their coming, and of all levels,
  // by age.
  var next: Pointer?
  var previous: Pointer?
  var younger: Pointer?
  var older: Pointer?

  /// Nil where the memory is free.
  package internal(set) var content: Content?

  /// Whether it is in front because it was taken back, not for its age.
  var wasReclaimed = false

  /// The level it is queued at.
  var level: UInt16 = 0

  /// When it was added, as `WaitTimes` tells the time; 0 where nobody wants to know.
  var addedAt: UInt32 = 0

  private let atomic = Atomic<UInt64>(0)

  /// Which operation this memory holds, and how far it is. Changed under the
  /// scheduler's lock, but for the step from `taken` to begun.
  var word: UInt64 {
    // Relaxed: who reads it alone learns nothing of other memory.
    atomic.load(ordering: .relaxed)
  }

  /// Makes `word` `desired`. Under the scheduler's lock.
  func setWord(_ desired: UInt64) {
    // Release: who claims it may not have seen what was done under the lock.
    atomic.store(desired, ordering: .releasing)
  }

  /// Makes `word` `desired` if it is `expected`; whether it was.
  func exchange(_ expected: UInt64, _ desired: UInt64) -> Bool {
    // Acquire: sees what was done under the lock before it was made `expected`.
    // Release: for who claims it next.
    atomic.compareExchange(
      expected: expected,
      desired: desired,
      successOrdering: .acquiringAndReleasing,
      failureOrdering: .relaxed
    ).exchanged
  }

  /// It waits in a backlog.
  static var queued: UInt64 { 1 }
  /// It was taken, and has not begun.
  static var dequeued: UInt64 { 2 }
  /// It was cancelled when it had begun.
  static var cancelled: UInt64 { 4 }
  /// One operation more in this memory.
  static var generation: UInt64 { 8 }

  /// What `word` says of which operation it is.
  static func generation(of word: UInt64) -> UInt64 { word & ~(generation - 1) }
}

/// A body on its way to the scheduler, as inlined code may name it.
@usableFromInline
struct OperationBody: ~Copyable {
  let content: OperationNode.Content

  @usableFromInline
  init(_ body: consuming @escaping @Sendable (ScheduledOperation) -> Void) {
    content = .body(body)
  }
}

/// An operation that was handed to a scheduler, whether or not it still is there.
@usableFromInline
package struct OperationHandle: @unchecked Sendable {
  // @unchecked: the node is memory of the backlog, which is kept by `keeper`; only
  // its atomic word is read here.

  package let node: OperationNode.Pointer
  let generation: UInt64

  init(node: OperationNode.Pointer, generation: UInt64) {
    self.node = node
    self.generation = generation
  }

  /// What `node` holds now. Under the scheduler's lock, or by who took it.
  init(node: OperationNode.Pointer) {
    self.init(node: node, generation: OperationNode.generation(of: node.pointee.word))
  }

  /// Whether it was taken, and has not begun, as far as is known.
  var isDequeued: Bool { node.pointee.word == generation | OperationNode.dequeued }

  /// Makes it the caller's to run, if it was taken and has not begun; whether it is.
  package func claim() -> Bool {
    node.pointee.exchange(generation | OperationNode.dequeued, generation)
  }

  /// Whether it was cancelled. One atomic read.
  package var isCancelled: Bool {
    let word = node.pointee.word
    return OperationNode.generation(of: word) == generation && word & OperationNode.cancelled != 0
  }

  /// Whether it has not ended, as far as the holder of the scheduler's lock knows.
  package var isCurrent: Bool {
    OperationNode.generation(of: node.pointee.word) == generation
  }
}
