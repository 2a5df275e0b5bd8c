import LoopTransactions
import TestSupport
import Testing

/// A system that refuses threads.
private final class ThreadSupply: Sendable {
  private struct State {
    var left: Int
    var attempts = 0
    var attemptsHere = 0
  }

  private let state: Locked<State>
  private let thread = System.thread
  /// Whether the thread that retries is granted at once.
  private let grantsRetries: Bool

  /// Refuses as many threads as `refusing` says, then grants all.
  init(refusing count: Int, grantsRetries: Bool = false) {
    state = Locked(State(left: count))
    self.grantsRetries = grantsRetries
  }

  /// How many threads were asked for.
  var attempts: Int { state.withLock { $0.attempts } }

  /// How many of them by the thread that made this.
  var attemptsHere: Int { state.withLock { $0.attemptsHere } }

  /// Refuses no more.
  func grantAll() { refuse(0) }

  /// Refuses `count` more.
  func refuse(_ count: Int) { state.withLock { $0.left = count } }

  func scheduler(
    workers: Int = 1,
    idleNanoseconds: UInt64 = 5_000_000_000
  ) -> OperationScheduler {
    OperationScheduler(
      "refused",
      workerLimit: workers,
      permits: WorkerPermits(limit: 64),
      retries: WorkerRetries(startThread: start),
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

@Suite("WorkerRetries", .timeLimit(.minutes(2)))
struct WorkerRetriesTests {
  // O1, I18
  @Test("a worker that is refused eight times is retried, with no other call to bring it")
  func retries() {
    let supply = ThreadSupply(refusing: 8, grantsRetries: true)
    let done = Gate()
    supply.scheduler().add { _ in done.open() }
    #expect(done.waitInTime())
    #expect(supply.attempts == 9)
  }

  // O1
  @Test("the thread that retries is started with the scheduler, before anything is refused")
  func startsInAdvance() {
    let supply = ThreadSupply(refusing: 0)
    let scheduler = supply.scheduler()
    #expect(supply.attempts == 1)
    #expect(scheduler.metrics.workers == 0)
  }

  // O1
  @Test("whoever adds to a scheduler that is refused threads asks for one thread at most")
  func callerDoesNotRetry() {
    let supply = ThreadSupply(refusing: .max, grantsRetries: true)
    let scheduler = supply.scheduler()
    let done = Gate()
    for _ in 0..<100 { scheduler.add { _ in done.open() } }
    // Its own first attempt; those after it are the retrying thread's.
    #expect(supply.attemptsHere <= 1)
    supply.grantAll()
    #expect(done.waitInTime(100))
  }

  // O1, O6
  @Test("a loop that waits for a transaction retries when the retrying thread is refused too")
  func loopRetries() throws {
    try withLoop { loop in
      let supply = ThreadSupply(refusing: 12)
      let transaction = AsyncTransaction(on: loop, scheduler: supply.scheduler())
      var value: Int?
      transaction.add { _ in
        7
      } completion: {
        value = $0.value
      }
      transaction.commit()
      #expect(loop.runInTime() == .finished)
      #expect(value == 7)
    }
  }

  // O1
  @Test("a loop's retries do not keep its run going")
  func loopDoesNotWait() throws {
    try withLoop { loop in
      let supply = ThreadSupply(refusing: .max)
      let scheduler = supply.scheduler()
      let done = Gate()
      scheduler.add { _ in done.open() }
      #expect(loop.runInTime() == .finished)
      supply.grantAll()
      let transaction = AsyncTransaction(on: loop, scheduler: scheduler)
      transaction.add { _ in 1 }
      transaction.commit()
      #expect(loop.runInTime() == .finished)
      #expect(done.waitInTime())
    }
  }

  // O1
  @Test("a loop that closes leaves its retries to others")
  func loopCloses() async throws {
    let supply = ThreadSupply(refusing: 6)
    let scheduler = supply.scheduler()
    let done = Gate()
    try withLoop { _ in scheduler.add { _ in done.open() } }
    #expect(try await scheduler.run { _ in 5 } == 5)
    #expect(done.waitInTime())
  }

  // O1
  @Test("a task that awaits an operation has it retried when every thread is refused")
  func taskRetries() async throws {
    let supply = ThreadSupply(refusing: 12)
    let scheduler = supply.scheduler()
    #expect(try await scheduler.run { _ in 7 } == 7)
    #expect(supply.attempts > 12)
  }

  // O1, O10
  @Test("a task that awaits a flight has it retried when every thread is refused")
  func flightRetries() async throws {
    let supply = ThreadSupply(refusing: 12)
    let flights = SingleFlight<Int, Int>(on: supply.scheduler())
    #expect(try await flights.value(for: 1) { _ in 7 } == 7)
  }

  // O1, C1
  @Test("a task that prefers a scheduler runs though every thread was refused")
  func jobRetries() async {
    let supply = ThreadSupply(refusing: 12)
    let scheduler = supply.scheduler()
    let task = Task.detached(executorPreference: scheduler) { 7 }
    #expect(await task.value == 7)
  }

  // O1
  @Test("with neither loop nor task to retry, the next operation that is added does")
  func nextCallRetries() {
    let supply = ThreadSupply(refusing: 6)
    let done = Gate()
    elsewhere {
      let scheduler = supply.scheduler(workers: 2)
      scheduler.add { _ in done.open() }
      // Each may come before the retry is due.
      while supply.attempts < 7 {
        scheduler.add { _ in }
        TestThread.yield()
      }
    }
    #expect(done.waitInTime())
  }

  // O1
  @Test("a scheduler that is dropped while it is refused threads runs what was added")
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
  @Test("when threads are refused again after a worker started, that is reported again")
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
  @Test("that no worker is left is reported once, until one starts")
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
