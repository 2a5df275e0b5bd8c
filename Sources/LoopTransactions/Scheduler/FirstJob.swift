import Synchronization

/// Starts a task on a worker that has claimed an operation with an async body.
///
/// The worker runs the first job of the task itself. Otherwise the job would
/// wait in the scheduler's queue, although the operation has had its turn.
enum FirstJob {
  // The address of an `UnownedJob?` on the stack of the thread that starts a
  // task.
  private static let slot = ThreadSlot()
  // The number of threads that are starting a task, so that other jobs need not
  // look at their thread's slot.
  private static let starting = Atomic<Int>(0)

  /// Starts a task called `name` whose jobs run on `scheduler`, passes it to
  /// `started`, and runs it on this thread until it first suspends.
  static func start(
    _ name: String?,
    on scheduler: OperationScheduler,
    level: Int,
    _ body: @escaping @Sendable () async -> Void,
    started: (Task<Void, Never>) -> Void
  ) {
    var job: UnownedJob?
    // Relaxed: only this thread must see it.
    starting.add(1, ordering: .relaxed)
    let task = withUnsafeMutablePointer(to: &job) { pointer in
      slot.address = UnsafeMutableRawPointer(pointer)
      defer { slot.address = nil }
      return Task.detached(
        name: name,
        executorPreference: scheduler,
        priority: TaskPriority(level: level),
        operation: VirtualTime.exists ? { await scheduler.core.noting(body) } : body
      )
    }
    starting.subtract(1, ordering: .relaxed)
    started(task)
    job?.runSynchronously(on: scheduler.asUnownedTaskExecutor())
  }

  /// Takes `job` if the calling thread is starting its task. Returns whether it
  /// did; if not, the job must be queued.
  @inline(__always)
  static func takes(_ job: UnownedJob) -> Bool {
    if _fastPath(starting.load(ordering: .relaxed) == 0) { return false }
    return takesSlowly(job)
  }

  @inline(never)
  private static func takesSlowly(_ job: UnownedJob) -> Bool {
    guard let address = slot.address else { return false }
    let place = address.assumingMemoryBound(to: UnownedJob?.self)
    guard place.pointee == nil else { return false }
    place.pointee = job
    return true
  }
}

// For tests with a virtual clock.
extension SchedulerCore {
  /// Runs `body`, and notes meanwhile that the task runs an operation.
  fileprivate func noting(_ body: @Sendable () async -> Void) async {
    guard let task = VirtualTime.currentTask else { return await body() }
    tasks.withLock { _ = $0.insert(task) }
    await body()
    tasks.withLock { _ = $0.remove(task) }
  }
}

extension OperationScheduler {
  /// When the first operation wakes, in nanoseconds, if all operations that have
  /// not ended sleep on the clock `time`. Nil otherwise.
  package func firstWake(_ time: VirtualTime) -> UInt64? {
    let sleeps = core.tasks.withLock { $0 }.compactMap { time.sleeps[$0] }
    let (queued, running) = core.ask { ($0.backlog.count, $0.running) }
    return queued == 0 && running == sleeps.count ? sleeps.min() : nil
  }
}

extension TaskPriority {
  /// Creates the priority that corresponds most closely to a level of the
  /// backlog. The inverse of `OperationPriority.init(_:)`.
  init(level: Int) {
    switch level - OperationBacklog.level(.normal) {
    case ...Int(OperationPriority.background.rawValue): self = .background
    case Int(OperationPriority.high.rawValue)...: self = .high
    case let distance: self.init(rawValue: UInt8(21 + distance / (distance < 0 ? 5 : 16)))
    }
  }
}
