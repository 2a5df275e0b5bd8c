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
  public let name: StaticString

  private let core: SerialQueueCore

  /// An empty queue on `scheduler`.
  ///
  /// Call from any thread.
  ///
  /// - Parameter priority: At which its turn comes.
  public init(
    _ name: StaticString,
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
  public func add(_ body: @escaping @Sendable () -> Void) { core.add(body) }

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
  private struct State {
    var waiting: [@Sendable () -> Void] = []
    /// How many of `waiting`, from the front, were run.
    var first = 0
    /// Whether it is with the scheduler, or a worker is at it.
    var isScheduled = false
  }

  private let scheduler: OperationScheduler
  private let level: Int
  private let state = Locked(State())

  init(_ scheduler: OperationScheduler, level: Int) {
    self.scheduler = scheduler
    self.level = level
  }

  func add(_ body: @escaping @Sendable () -> Void) {
    let isNews = state.withLock { state in
      state.waiting.append(body)
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if isNews { schedule() }
  }

  var count: Int { state.withLock { $0.waiting.count - $0.first } }

  func removeAll() -> Int {
    let removed = state.withLock { state in
      defer { (state.waiting, state.first) = ([], 0) }
      return state.waiting[state.first...]
    }
    return removed.count
  }

  private func schedule() {
    if scheduler.core.add(.body { [self] _ in runSome() }, level: level) == nil {
      trap("SerialQueue.add: the scheduler is closed")
    }
  }

  /// Runs until nothing waits, or others had better have the worker.
  private func runSome() {
    // 100 us: so long may something more urgent wait for a queue of small pieces.
    let end = System.nanoseconds + 100_000
    while let body = next() {
      body()
      if System.nanoseconds > end { return schedule() }
    }
  }

  private func next() -> (@Sendable () -> Void)? {
    state.withLock { state in
      guard state.first < state.waiting.count else {
        state.waiting.removeAll(keepingCapacity: state.waiting.count < 64)
        state.first = 0
        state.isScheduled = false
        return nil
      }
      defer {
        state.waiting[state.first] = {}
        state.first += 1
      }
      return state.waiting[state.first]
    }
  }
}
