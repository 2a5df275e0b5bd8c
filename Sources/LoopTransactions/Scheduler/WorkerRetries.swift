import Synchronization

/// Retries worker starts that the system refused.
///
/// Any thread may use it. Each process has one instance. Its thread is started
/// with the first scheduler and sleeps until the start of a worker is refused.
/// If the system refuses this thread as well, each later call that adds an
/// operation or makes a scheduler tries again; see docs/decisions/0010. O1.
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
  private let needsThread = Atomic<Bool>(false)
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

  /// Calls `action` after `delay` nanoseconds, on the retry thread or in
  /// `serveWithoutThread()`.
  func call(after delay: UInt64, _ action: @escaping @Sendable () -> Void) {
    let due = System.nanoseconds &+ delay
    change { state in
      state.entries.append(Entry(due: due, action: action))
      ensureThread(&state)
    }
    parking.wake()
  }

  /// Calls every action that is due on the calling thread, if there is no retry
  /// thread.
  func serveWithoutThread() {
    if needsThread.load(ordering: .relaxed) { serve() }
  }

  /// Calls every action that is due.
  private func serve() {
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
        needsThread.store(!state.hasThread && !state.entries.isEmpty, ordering: .relaxed)
      }
      return body(&state)
    }
  }
}
