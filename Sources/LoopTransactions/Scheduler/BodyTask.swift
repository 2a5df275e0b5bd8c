/// A task that runs the body of an operation, or of a call to a loop. It begins
/// when a worker has claimed the operation, or when the loop runs the call.
///
/// The task is made where the operation is added, so that it has the task-local
/// values of that place. The worker runs the first job of the task itself.
/// Otherwise the job would wait in the scheduler's queue, although the operation
/// has had its turn.
struct BodyTask: @unchecked Sendable {
  // @unchecked: constant. `firstJob` is used once.

  // The address of an `UnownedJob?` on the stack of the thread that makes a task.
  private static let slot = ThreadSlot()

  let task: Task<Void, Never>
  private let firstJob: UnownedJob?

  /// Makes a task called `name` that calls `body`, and whose jobs run on
  /// `scheduler`.
  init(
    _ name: String?,
    on scheduler: OperationScheduler,
    level: Int,
    _ body: @escaping @Sendable () async -> Void
  ) {
    let priority = TaskPriority(level: level)
    if System.hasVirtualTime {
      self.init(name, on: scheduler, priority: priority) { await scheduler.core.trackingTask(body) }
    } else {
      self.init(name, on: scheduler, priority: priority, body)
    }
  }

  /// Makes a task called `name` that calls the synchronous `body`, with the
  /// priority of the current task.
  init(_ name: String?, _ body: @escaping @Sendable () -> Void) {
    self.init(name, on: InlineExecutor.shared, priority: nil) { body() }
  }

  private init(
    _ name: String?,
    on executor: some TaskExecutor,
    priority: TaskPriority?,
    _ body: @escaping @Sendable () async -> Void
  ) {
    var job: UnownedJob?
    task = withUnsafeMutablePointer(to: &job) { pointer in
      Self.slot.address = UnsafeMutableRawPointer(pointer)
      defer { Self.slot.address = nil }
      return Task(name: name, executorPreference: executor, priority: priority, operation: body)
    }
    firstJob = job
  }

  /// Runs the task on this thread until it first suspends. Call once, even if the
  /// body must not run: a task that never begins is never released.
  func begin(on executor: some TaskExecutor) {
    firstJob?.runSynchronously(on: executor.asUnownedTaskExecutor())
  }

  /// Runs the synchronous body on this thread. Call once, as `begin(on:)`.
  func begin() { begin(on: InlineExecutor.shared) }

  /// Raises the priority of the task to the one of `level`.
  func escalate(to level: Int) {
    guard #available(macOS 26.0, iOS 26.0, watchOS 26.0, tvOS 26.0, visionOS 26.0, *) else {
      return
    }
    task.escalatePriority(to: TaskPriority(level: level))
  }

  /// Claims `job` if the calling thread is creating the task of the job. Returns
  /// false otherwise; the caller must then queue or run the job.
  @inline(__always)
  static func claim(_ job: UnownedJob) -> Bool {
    guard let address = slot.address else { return false }
    let place = address.assumingMemoryBound(to: UnownedJob?.self)
    guard place.pointee == nil else { return false }
    place.pointee = job
    return true
  }
}

// For tests with a virtual clock.
extension SchedulerCore {
  /// Runs `body`. The current task is one of `tasks` during the call.
  fileprivate func trackingTask(_ body: @Sendable () async -> Void) async {
    guard let task = System.currentTask else { return await body() }
    tasks.withLock { _ = $0.insert(task) }
    await body()
    tasks.withLock { _ = $0.remove(task) }
  }
}

extension OperationScheduler {
  /// When the first operation wakes, in nanoseconds, if all operations that have
  /// not ended sleep on a virtual clock. Nil otherwise.
  ///
  /// - Parameter sleeps: When each task that sleeps on the clock wakes.
  package func firstWake(of sleeps: [Int: UInt64]) -> UInt64? {
    let sleeps = core.tasks.withLock { $0 }.compactMap { sleeps[$0] }
    let (queued, running) = core.ask { ($0.backlog.count, $0.running) }
    return queued == 0 && running == sleeps.count ? sleeps.min() : nil
  }
}

/// Runs each job at once, on the thread that enqueues it.
///
/// A continuation resumes its task on the concurrency pool, or on the executor
/// that the task prefers. A task that awaits a stepped operation prefers this
/// one. So the step that ends the operation also takes the task back to the
/// caller's actor, and tasks return in the order of the steps. A `BodyTask` with
/// a synchronous body prefers it, too.
final class InlineExecutor: TaskExecutor {
  static let shared = InlineExecutor()

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if !BodyTask.claim(job) { job.runSynchronously(on: asUnownedTaskExecutor()) }
  }

  /// Calls `body`, which awaits an operation of a stepped scheduler.
  nonisolated(nonsending) static func awaiting<Value: Sendable>(
    _ body: @Sendable () async throws -> Value
  ) async throws -> Value {
    try await withTaskExecutorPreference(shared) { try await body() }
  }
}
