import Synchronization

/// Retries worker starts that the system refused.
///
/// Any thread may use it. Each process has one instance. Its thread is started
/// with the first scheduler and sleeps until the start of a worker is refused.
/// If the system refuses this thread as well, a loop's timer or a task drives
/// the retries until the thread can be started; see docs/decisions/0010. O1.
package final class WorkerRetries: Sendable {
  /// Starts a thread with the given name. Returns false if the system refused
  /// it. Does not block.
  package typealias ThreadStarter =
    @Sendable (_ name: String, _ body: @escaping @Sendable () -> Void) -> Bool

  /// The instance of the process.
  package static var shared: WorkerRetries { processWide.value }

  private static let processWide = ProcessWide { WorkerRetries() }

  private struct Entry {
    /// When to call the action, in nanoseconds.
    let due: UInt64
    let action: @Sendable () -> Void
  }

  private struct State {
    var entries: [Entry] = []
    var hasThread = false
    var isTaskDriving = false

    var firstDue: UInt64? { entries.lazy.map(\.due).min() }

    mutating func dequeueDue(_ now: UInt64) -> [Entry] {
      let due = entries.filter { $0.due <= now }
      entries.removeAll { $0.due <= now }
      return due
    }
  }

  /// Starts workers, and the retry thread.
  let startThread: ThreadStarter

  private let state = Locked(State())
  private let parking = Parking()
  // Whether retries are pending without a retry thread.
  private let needsDriver = Atomic<Bool>(false)
  private let hasThread = Atomic<Bool>(false)

  package init(startThread: @escaping ThreadStarter = WorkerThread.start) {
    self.startThread = startThread
  }

  /// Starts the retry thread unless it is running.
  func prepare() {
    // Relaxed: a hint, which is checked again under the lock.
    if hasThread.load(ordering: .relaxed) { return }
    change { ensureThread(&$0) }
  }

  /// Calls `core.retryStart()` after `delay` nanoseconds.
  func retry(_ core: SchedulerCore, after delay: UInt64) {
    call(after: delay) { core.retryStart() }
  }

  /// Calls `action` after `delay` nanoseconds, on the retry thread or on a thread
  /// that replaces it.
  func call(after delay: UInt64, _ action: @escaping @Sendable () -> Void) {
    let due = System.nanoseconds &+ delay
    change { state in
      state.entries.append(Entry(due: due, action: action))
      ensureThread(&state)
    }
    parking.wake()
    driveByLoop()
  }

  /// Retries on the calling thread if there is no retry thread.
  func ensureDriver() {
    guard needsDriver.load(ordering: .relaxed) else { return }
    serve()
    driveByLoop()
  }

  /// Calls every action that is due.
  func serve() {
    let entries = change { state in
      guard let due = state.firstDue, due <= System.nanoseconds else { return [Entry]() }
      ensureThread(&state)
      return state.dequeueDue(System.nanoseconds)
    }
    for entry in entries { entry.action() }
  }

  // Under the lock, so that only one thread is started, and the new thread
  // waits until the state is updated.
  private func ensureThread(_ state: inout State) {
    if !state.hasThread { state.hasThread = startThread("worker-retries") { [self] in run() } }
  }

  private func run() {
    while true {
      serve()
      guard let due = state.withLock({ $0.firstDue }) else {
        parking.sleep()
        continue
      }
      let now = System.nanoseconds
      if due > now { _ = parking.sleep(atMost: due - now) }
    }
  }

  private func change<Result>(_ body: (inout State) -> Result) -> Result {
    state.withLock { state in
      defer {
        hasThread.store(state.hasThread, ordering: .relaxed)
        needsDriver.store(!state.hasThread && !state.entries.isEmpty, ordering: .relaxed)
      }
      return body(&state)
    }
  }
}

// The drivers that replace the retry thread while the system refuses it.
extension WorkerRetries {
  /// How long a driver waits before it calls `serve()`, in nanoseconds. Nil if
  /// no driver is needed.
  var driverDelay: UInt64? {
    state.withLock { state in
      guard !state.hasThread, let due = state.firstDue else { return nil }
      let now = System.nanoseconds
      return due > now ? due - now : 0
    }
  }

  /// Drives the retries with a timer of the calling thread's loop, if there is
  /// a loop.
  private func driveByLoop() {
    guard needsDriver.load(ordering: .relaxed) else { return }
    EventLoop.current?.part(RetryTimer.self).drive(self)
  }

  /// Starts a task that drives the retries, unless a loop or another task
  /// drives them.
  ///
  /// Only for callers that are about to suspend their task. While the system
  /// refuses threads, libdispatch blocks a thread that enqueues a task.
  func driveByTask() {
    guard needsDriver.load(ordering: .relaxed), EventLoop.current == nil else { return }
    let isOurs = state.withLock { state in
      defer { state.isTaskDriving = true }
      return !state.isTaskDriving
    }
    guard isOurs else { return }
    Task.detached { [self] in
      while let delay = nextTaskDelay() {
        // `try?`: nothing cancels this task, and after a failed sleep it would
        // just retry sooner.
        try? await Task.sleep(nanoseconds: delay)
        serve()
      }
    }
  }

  // The check and the change happen under one lock. A retry that is added at
  // the same time either finds this task or starts another task.
  private func nextTaskDelay() -> UInt64? {
    state.withLock { state in
      guard !state.hasThread, let due = state.firstDue else {
        state.isTaskDriving = false
        return nil
      }
      let now = System.nanoseconds
      return due > now ? due - now : 0
    }
  }
}

/// The timer with which a loop drives `WorkerRetries`. Loop thread only.
final class RetryTimer: LoopPart {
  @exclusivity(unchecked) private unowned(unsafe) var loop: EventLoop?
  @exclusivity(unchecked) private var timer: LoopTimer?
  @exclusivity(unchecked) private var isDriving = false

  func attach(to loop: EventLoop) { self.loop = loop }

  func loopDidClose() { loop = nil }

  /// Calls `retries.serve()` on this loop when the next retry is due.
  ///
  /// Does not keep the run going, because the work that waits for an operation
  /// does.
  fileprivate func drive(_ retries: WorkerRetries) {
    // Adding a timer may call a host, and the host's code may add an operation.
    guard !isDriving, let delay = retries.driverDelay else { return }
    guard let loop, loop.takesCommits, !loop.core.isForked, !loop.wasTornDown else { return }
    if let timer, timer.isActive,
      timer.deadline <= loop.now.advanced(by: .nanoseconds(Int64(clamping: delay)))
    {
      return
    }
    isDriving = true
    defer { isDriving = false }
    self.timer?.cancel()
    let timer = loop.addTimer(after: .nanoseconds(Int64(clamping: delay))) { [weak self] _ in
      retries.serve()
      self?.drive(retries)
    }
    timer.keepsLoopAlive = false
    self.timer = timer
  }
}
