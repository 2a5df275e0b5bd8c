import LoopTransactions
import TestSupport
import Testing

/// A substitute for the system that refuses to start threads.
private final class ThreadSupply: Sendable {
  private struct State {
    var left: Int
    var attempts = 0
    var attemptsHere = 0
  }

  private let state: Locked<State>
  private let thread = System.thread
  /// True if a start by the retrying thread always succeeds.
  private let grantsRetries: Bool

  /// Refuses `count` threads, then grants all.
  init(refusing count: Int, grantsRetries: Bool = false) {
    state = Locked(State(left: count))
    self.grantsRetries = grantsRetries
  }

  /// The number of threads requested.
  var attempts: Int { state.withLock { $0.attempts } }

  /// The number of threads requested by the thread that created this object.
  var attemptsHere: Int { state.withLock { $0.attemptsHere } }

  /// Stops refusing.
  func grantAll() { refuse(0) }

  /// Refuses `count` more threads.
  func refuse(_ count: Int) { state.withLock { $0.left = count } }

  func retries() -> WorkerRetries { WorkerRetries(startThread: start) }

  func scheduler(
    _ retries: WorkerRetries? = nil,
    workers: Int = 1,
    idleNanoseconds: UInt64 = 5_000_000_000
  ) -> OperationScheduler {
    OperationScheduler(
      "refused",
      workerLimit: workers,
      permits: WorkerPermits(limit: 64),
      retries: retries ?? self.retries(),
      idleNanoseconds: idleNanoseconds
    )
  }

  @Sendable private func start(_ name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
    if grantsRetries, name != "refused" { return WorkerThread.start(name, body) }
    let isRefused = state.withLock { state in
      state.attempts += 1
      if System.thread == thread { state.attemptsHere += 1 }
      guard state.left > 0 else { return false }
      state.left -= 1
      return true
    }
    return isRefused ? false : WorkerThread.start(name, body)
  }
}

@Suite("WorkerRetries")
struct WorkerRetriesTests {
  // O1, I18
  @Test("a worker refused eight times is retried without another call")
  func retries() {
    let supply = ThreadSupply(refusing: 8, grantsRetries: true)
    let done = Gate()
    supply.scheduler().add { _ in done.open() }
    #expect(done.waitInTime())
    #expect(supply.attempts == 9)
  }

  // O1
  @Test("the retrying thread starts with the scheduler, before any refusal")
  func startsInAdvance() {
    let supply = ThreadSupply(refusing: 0)
    let scheduler = supply.scheduler()
    #expect(supply.attempts == 1)
    #expect(scheduler.metrics.workers == 0)
  }

  // O1
  @Test("a thread that adds operations requests at most one worker")
  func callerDoesNotRetry() {
    let supply = ThreadSupply(refusing: .max, grantsRetries: true)
    let scheduler = supply.scheduler()
    let done = Gate()
    for _ in 0..<100 { scheduler.add { _ in done.open() } }
    // This thread makes the scheduler's first attempt. The retrying thread
    // makes the others.
    #expect(supply.attemptsHere <= 1)
    supply.grantAll()
    #expect(done.waitInTime(100))
  }

  // O1
  @Test("if the retrying thread was refused too, adding the next operation retries")
  func nextCallRetries() {
    let supply = ThreadSupply(refusing: 6)
    let done = Gate()
    let scheduler = supply.scheduler(workers: 2)
    scheduler.add { _ in done.open() }
    // Keep adding operations, because the retry may not be due yet.
    while supply.attempts < 7 {
      scheduler.add { _ in }
      TestThread.yield()
    }
    #expect(done.waitInTime())
  }

  // O1
  @Test("if the retrying thread was refused too, making the next scheduler starts it")
  func nextSchedulerRetries() {
    let supply = ThreadSupply(refusing: 3)
    let retries = supply.retries()
    let done = Gate()
    supply.scheduler(retries).add { _ in done.open() }
    #expect(supply.attempts == 3)
    _ = supply.scheduler(retries)
    #expect(done.waitInTime())
  }

  // O1
  @Test("a released scheduler with refused threads runs its queued operations")
  func dropped() {
    let supply = ThreadSupply(refusing: 8, grantsRetries: true)
    let done = Gate()
    do {
      let scheduler = supply.scheduler()
      scheduler.add { _ in done.open() }
    }
    #expect(done.waitInTime())
  }

  // O1
  @Test("refusals after a worker has started are reported again")
  func reportsAgain() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let supply = ThreadSupply(refusing: 3, grantsRetries: true)
      let scheduler = supply.scheduler(idleNanoseconds: 1_000_000)
      let done = Gate()
      scheduler.add { _ in done.open() }
      #expect(done.waitInTime())
      while scheduler.metrics.workers > 0 { TestThread.yield() }
      supply.refuse(3)
      scheduler.add { _ in done.open() }
      #expect(done.waitInTime())
    }
    let lines = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(lines.split(separator: "\n").count == 2)
  }

  // O1
  @Test("refusals are reported once until a worker starts")
  func reportsOnce() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let supply = ThreadSupply(refusing: 8, grantsRetries: true)
      let done = Gate()
      supply.scheduler().add { _ in done.open() }
      #expect(done.waitInTime())
    }
    let lines = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      .split(separator: "\n")
    #expect(
      lines == ["OperationScheduler refused: the system refused a thread for a worker; retrying"]
    )
  }
}
