// A job of Swift concurrency as an item: the job and the port it was enqueued
// on.
extension PostedItem {
  /// The isolation of a job, as its loop knows it.
  enum JobKind: UInt {
    /// A job that is isolated to the loop.
    case isolated = 3
    /// A nonisolated job of a task that prefers the loop.
    case task = 4
    /// A job that is isolated to the loop, of a task that prefers the loop.
    case isolatedTask = 5
    /// Isolated to the main actor, whose executor enqueues on the loop.
    case mainActor = 6
  }

  /// Creates an item that runs the job at `word`, which was enqueued on `port`.
  ///
  /// The port is not retained, because the task that waits for the job retains
  /// its executor.
  @inline(__always)
  init(_ kind: JobKind, _ word: UInt, for port: LoopPort) {
    // The port comes first, so that the budget treats all jobs of a loop as one
    // kind.
    self.init(
      kind: kind.rawValue,
      first: UInt(bitPattern: Unmanaged.passUnretained(port).toOpaque()),
      second: word
    )
  }

  /// Runs the job on its loop's thread.
  @inline(never)
  func runJob() {
    guard let address = UnsafeRawPointer(bitPattern: first) else { return }
    // The job may release the port, but this loop retains the port's core.
    let port = Unmanaged<LoopPort>.fromOpaque(address)
    let core = port._withUnsafeGuaranteedRef { $0.core }
    let outer = core.runningTask
    switch JobKind(rawValue: kind) {
    case .task, .isolatedTask: core.runningTask = second
    case .isolated, .mainActor, nil: core.runningTask = 0
    }
    runJob(port)
    core.runningTask = outer
  }

  /// Runs the job. `port` is alive until the job has begun.
  func runJob(_ port: Unmanaged<LoopPort>) {
    let job = unsafeBitCast(second, to: UnownedJob.self)
    let (serial, task) = port._withUnsafeGuaranteedRef {
      ($0.asUnownedSerialExecutor(), $0.asUnownedTaskExecutor())
    }
    // Run the job under the executor it was enqueued on. Under another
    // executor, the runtime would re-enqueue it.
    switch JobKind(rawValue: kind) {
    case .isolated: job.runSynchronously(on: serial)
    case .task: job.runSynchronously(on: task)
    case .isolatedTask: job.runSynchronously(isolatedTo: serial, taskExecutor: task)
    case .mainActor: job.runSynchronously(on: MainActor.sharedUnownedExecutor)
    case nil: preconditionFailure("PostedItem: unknown job kind \(kind)")
    }
  }
}
