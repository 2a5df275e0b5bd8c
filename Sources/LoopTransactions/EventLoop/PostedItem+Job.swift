// A job of Swift's concurrency as an item: itself, and the port it was enqueued on.
extension PostedItem {
  /// What a job is, as far as its loop knows.
  enum JobKind: UInt {
    /// Isolated to the loop.
    case isolated = 3
    /// Of a task that prefers the loop, isolated to nothing.
    case task = 4
    /// Of such a task, isolated to the loop.
    case isolatedTask = 5
  }

  /// A run of the job at `word`, which was enqueued on `port`.
  ///
  /// The port is not retained: who waits for the job keeps its executor.
  @inline(__always)
  init(_ kind: JobKind, _ word: UInt, for port: LoopPort) {
    // The port first: jobs of a loop are alike to its budget.
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
    // Its last job may release the port, but not what it shares with the loop, which
    // is here.
    let port = Unmanaged<LoopPort>.fromOpaque(address)
    let core = port._withUnsafeGuaranteedRef { $0.core }
    let outer = core.runningTask
    core.runningTask = kind == JobKind.isolated.rawValue ? 0 : second
    runJob(port)
    core.runningTask = outer
  }

  /// Runs the job, for `port`, which lives until it has begun.
  func runJob(_ port: Unmanaged<LoopPort>) {
    let job = unsafeBitCast(second, to: UnownedJob.self)
    let (serial, task) = port._withUnsafeGuaranteedRef {
      ($0.asUnownedSerialExecutor(), $0.asUnownedTaskExecutor())
    }
    // Each as what it is: where the runtime's idea of the executor and the task's own
    // differ, it enqueues the job anew.
    switch JobKind(rawValue: kind) {
    case .isolated: job.runSynchronously(on: serial)
    case .task: job.runSynchronously(on: task)
    case .isolatedTask: job.runSynchronously(isolatedTo: serial, taskExecutor: task)
    case nil: preconditionFailure("PostedItem: a job is of a known kind, got \(kind)")
    }
  }
}
