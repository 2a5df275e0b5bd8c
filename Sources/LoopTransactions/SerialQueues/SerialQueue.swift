/// Runs what is added one after the other, in the order it was added, on the workers
/// of a scheduler.
///
/// It takes up one worker while it has something to run, and none else. Add from any
/// thread.
///
/// ```swift
/// let disk = SerialQueue("disk", priority: .background)
/// disk.add { write(page) }
/// ```
///
/// After Dispatch's serial queues, of which each could bring a thread of its own.
public final class SerialQueue: Sendable {
  /// What a diagnosis calls it.
  public let name: String

  let core: SerialQueueCore

  /// An empty queue on `scheduler`.
  ///
  /// Call from any thread.
  ///
  /// - Parameter priority: At which its turn comes.
  public init(
    _ name: String,
    on scheduler: OperationScheduler = .shared,
    priority: OperationPriority = .normal
  ) {
    self.name = name
    core = SerialQueueCore(scheduler, level: OperationBacklog.level(priority))
  }

  /// Adds `body` behind what was added before.
  ///
  /// Call from any thread. It is released on the worker that ran it, before the next
  /// one begins. What waits when the queue itself is dropped is still run.
  ///
  /// - Complexity: O(1).
  public func add(_ body: consuming @escaping @Sendable () -> Void) { core.add(body) }

  /// Drops what waits; how much that was.
  ///
  /// Call from any thread, which releases it.
  @discardableResult
  public func removeAll() -> Int { core.removeAll() }

  /// How many wait: the one that runs is not counted.
  ///
  /// Call from any thread.
  public var count: Int { core.count }
}

/// A serial queue as workers know it.
final class SerialQueueCore: Sendable {
  // As it is: in an optional or an array of its own a closure is wrapped in another.
  private struct Block {
    let run: @Sendable () -> Void

    init(_ run: consuming @escaping @Sendable () -> Void) { self.run = run }
  }

  private struct State {
    /// What was added since the worker last looked.
    var added: [Block?] = []
    /// What comes before that.
    var next: [Block?] = []
    /// How many of `next`, from the front, were taken.
    var dequeued = 0
    /// Whether it is with the scheduler, or a worker is at it.
    var isScheduled = false

    var count: Int { added.count + next.count - dequeued }

    mutating func dequeue() -> Block? {
      if dequeued == next.count { swapLists() }
      guard dequeued < next.count else { return nil }
      dequeued += 1
      return next[dequeued - 1].take()
    }

    // Two lists, used in turn: one that is never empty does not grow.
    private mutating func swapLists() {
      // Some 64 pieces are kept for the next time. Guess.
      next.removeAll(keepingCapacity: next.count <= 64)
      dequeued = 0
      swap(&added, &next)
    }
  }

  private let scheduler: OperationScheduler
  private let level: Int
  private let state = Locked(State())

  init(_ scheduler: OperationScheduler, level: Int) {
    self.scheduler = scheduler
    self.level = level
  }

  func add(_ body: consuming @escaping @Sendable () -> Void) {
    scheduler.core.checkProcess()
    // Moved in: whoever held a copy might be the last to release it. O12.
    var block: Block? = Block(body)
    let needsOperation = state.withLock { state in
      state.added.append(block.take())
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if needsOperation { schedule() }
  }

  /// Whether this process is a child of the one that made the scheduler.
  var isForked: Bool { scheduler.core.isForked }

  var count: Int {
    scheduler.core.checkProcess()
    return state.withLock { $0.count }
  }

  func removeAll() -> Int {
    scheduler.core.checkProcess()
    let removed = state.withLock { state in
      defer { (state.added, state.next, state.dequeued) = ([], [], 0) }
      return (state.next, state.added, state.count)
    }
    return removed.2
  }

  private func schedule() {
    if scheduler.core.add(.body { [self] _ in runBatch() }, level: level) == nil {
      trap("SerialQueue.add: the scheduler is closed")
    }
  }

  /// Runs until nothing waits, or others had better have the worker.
  private func runBatch() {
    // 100 us: so long may something more urgent wait for a queue of small pieces.
    let end = System.nanoseconds + 100_000
    while runNext() {
      if System.nanoseconds > end { return schedule() }
    }
  }

  /// Runs the next, and releases it; false if nothing waits.
  private func runNext() -> Bool {
    let block = state.withLock { state in
      let block = state.dequeue()
      if block == nil { state.isScheduled = false }
      return block
    }
    block?.run()
    return block != nil
  }
}

extension SerialQueueCore: Unreflected {}

extension SerialQueue: CustomReflectable {
  /// Its name, and how many bodies wait.
  public var customMirror: Mirror {
    Mirror(self, showing: [("name", name)] + (core.isForked ? [] : [("count", count)]))
  }
}
