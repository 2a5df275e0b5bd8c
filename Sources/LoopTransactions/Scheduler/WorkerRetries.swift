import Synchronization

/// Retries workers that the system refused a thread for.
///
/// Any thread may use it. The process has one, whose own thread is started with the
/// first scheduler and sleeps until a start is refused. If the system refuses that
/// thread too, a loop's timer and a task take its place until it can be started; see
/// docs/decisions/0010. O1.
package final class WorkerRetries: Sendable {
  /// Starts a thread of that name; false if the system refused it. Does not block.
  package typealias ThreadStarter =
    @Sendable (_ name: String, _ body: @escaping @Sendable () -> Void) -> Bool

  /// The one of the process.
  package static var shared: WorkerRetries { processWide.value }

  private static let processWide = ProcessWide { WorkerRetries() }

  private struct Entry {
    let core: SchedulerCore
    /// When to retry, in nanoseconds.
    let due: UInt64
  }

  private struct State {
    var entries: [Entry] = []
    var hasThread = false
    var isTaskDriving = false

    var firstDue: UInt64? { entries.lazy.map(\.due).min() }

    mutating func dequeueDue(_ now: UInt64) -> [SchedulerCore] {
      let due = entries.filter { $0.due <= now }.map(\.core)
      entries.removeAll { $0.due <= now }
      return due
    }
  }

  /// Starts workers, and the thread that retries.
  let startThread: ThreadStarter

  private let state = Locked(State())
  private let parking = Parking()
  // Whether a retry is due some time, and no thread of ours waits for that.
  private let needsDriver = Atomic<Bool>(false)
  private let hasThread = Atomic<Bool>(false)

  package init(startThread: @escaping ThreadStarter = WorkerThread.start) {
    self.startThread = startThread
  }

  /// Starts the thread that retries, unless it runs.
  func prepare() {
    // Relaxed: a hint; the lock decides.
    if hasThread.load(ordering: .relaxed) { return }
    change { ensureThread(&$0) }
  }

  /// Calls `core.retryStart()` after `delay`, in nanoseconds.
  func retry(_ core: SchedulerCore, after delay: UInt64) {
    let due = System.nanoseconds &+ delay
    change { state in
      state.entries.append(Entry(core: core, due: due))
      ensureThread(&state)
    }
    parking.wake()
    driveByLoop()
  }

  /// Has the caller's thread retry if no thread of ours does.
  func ensureDriver() {
    guard needsDriver.load(ordering: .relaxed) else { return }
    serve()
    driveByLoop()
  }

  /// Retries every core whose time has come.
  func serve() {
    let cores = change { state in
      guard let due = state.firstDue, due <= System.nanoseconds else { return [SchedulerCore]() }
      ensureThread(&state)
      return state.dequeueDue(System.nanoseconds)
    }
    for core in cores { core.retryStart() }
  }

  // Under the lock: a thread that begins waits for it, and no two are started.
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

// The drivers that retry while the system refuses the retry thread as well.
extension WorkerRetries {
  /// How long a driver should wait before it calls `serve()`, in nanoseconds; nil if
  /// none is needed.
  var driverDelay: UInt64? {
    state.withLock { state in
      guard !state.hasThread, let due = state.firstDue else { return nil }
      let now = System.nanoseconds
      return due > now ? due - now : 0
    }
  }

  /// Has the loop of the calling thread retry, if there is one.
  private func driveByLoop() {
    guard needsDriver.load(ordering: .relaxed) else { return }
    EventLoop.current?.part(RetryTimer.self).drive(self)
  }

  /// Has a task retry if nobody else does.
  ///
  /// For callers that are about to suspend their task. Not for others: libdispatch
  /// blocks the thread that enqueues a task while it is refused threads of its own.
  func driveByTask() {
    guard needsDriver.load(ordering: .relaxed), EventLoop.current == nil else { return }
    let isOurs = state.withLock { state in
      defer { state.isTaskDriving = true }
      return !state.isTaskDriving
    }
    guard isOurs else { return }
    Task.detached { [self] in
      while let delay = nextTaskDelay() {
        // Nobody cancels this task; a sleep that failed would only retry sooner.
        try? await Task.sleep(nanoseconds: delay)
        serve()
      }
    }
  }

  // Under one lock: a retry that comes meanwhile finds this task, or starts another.
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

/// A loop's part in `WorkerRetries`: a timer while nobody else can retry.
///
/// Belongs to the loop's thread.
final class RetryTimer: LoopPart {
  @exclusivity(unchecked) private unowned(unsafe) var loop: EventLoop?
  @exclusivity(unchecked) private var timer: LoopTimer?
  @exclusivity(unchecked) private var isDriving = false

  func attach(to loop: EventLoop) { self.loop = loop }

  func loopDidClose() { loop = nil }

  /// Has this loop call `retries.serve()` when that is due.
  ///
  /// Does not keep the loop's run going: what the loop waits for does.
  fileprivate func drive(_ retries: WorkerRetries) {
    // Adding a timer may call a host, whose code may add an operation.
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
