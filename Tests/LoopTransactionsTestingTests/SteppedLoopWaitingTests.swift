import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

// C6, O6
@Suite("SteppedLoop: waiting for transactions and tasks")
struct SteppedLoopWaitingTests {
  @Test("waitForTransactions() returns after the completions of real workers")
  func realWorkers() throws {
    let scheduler = OperationScheduler("waiting", workerLimit: 2)
    for _ in 0..<100 {
      let stepped = try SteppedLoop()
      var completed: [Int] = []
      for number in 0..<3 {
        let transaction = AsyncTransaction(on: stepped.loop, scheduler: scheduler)
        transaction.add { _ in
          number
        } completion: {
          completed.append($0.value ?? -1)
        }
        transaction.commit()
      }
      stepped.waitForTransactions()
      #expect(completed.sorted() == [0, 1, 2])
      try stepped.close()
    }
  }

  @Test("a transaction that a completion commits is waited for as well")
  func chain() throws {
    let stepped = try SteppedLoop()
    let loop = stepped.loop
    var left = 20
    func start() {
      let transaction = AsyncTransaction(on: loop)
      transaction.add { _ in
      } completion: { _ in
        left -= 1
        if left > 0 { start() }
      }
      transaction.commit()
    }
    start()
    stepped.waitForTransactions()
    #expect(left == 0)
    try stepped.close()
  }

  @Test("without transactions it only runs the loop")
  func nothing() throws {
    let stepped = try SteppedLoop()
    let trace = stepped.trace
    stepped.loop.post { trace.record("post") }
    stepped.loop.addTimer(after: .seconds(1)) { _ in trace.record("timer") }
    stepped.waitForTransactions()
    #expect(trace.events == ["post"])
    try stepped.close()
  }

  @Test("a stepped operation that needs time advances the clock")
  func steppedTime() throws {
    let stepped = try SteppedLoop()
    let time = Duration.seconds(3) ... .seconds(3)
    let workers = SteppedScheduler(on: stepped, operationTime: time)
    let start = stepped.now
    let transaction = AsyncTransaction(on: stepped.loop, scheduler: workers.scheduler)
    transaction.add { _ in }
    transaction.commit()
    stepped.waitForTransactions()
    #expect(transaction.state == .complete)
    #expect(start.duration(to: stepped.now) == .seconds(3))
    try stepped.close()
  }

  @Test("waitForOperations(of:) returns after operations, their operations and all their posts")
  func operations() throws {
    let scheduler = OperationScheduler("waiting", workerLimit: 2)
    for _ in 0..<100 {
      let stepped = try SteppedLoop()
      let (loop, port, count) = (stepped.loop, stepped.loop.port, Locked(0))
      var posts = 0
      for _ in 0..<3 {
        scheduler.add { _ in
          // An operation adds an operation, whose post adds the last one.
          scheduler.add { _ in
            count.withLock { $0 += 1 }
            #expect(throws: Never.self) {
              try port.post { scheduler.add { _ in count.withLock { $0 += 1 } } }
            }
          }
        }
      }
      loop.post { posts += 1 }
      stepped.waitForOperations(of: scheduler)
      #expect(count.withLock { $0 } == 6 && posts == 1 && stepped.isIdle)
      #expect(scheduler.metrics.queued == 0 && scheduler.metrics.running == 0)
      try stepped.close()
    }
  }

  // The first operation sleeps, and the second one ends.
  @Test(
    "a wait for operations that sleep on the clock ends with an error",
    arguments: [
      "waitForTransactions", "waitForOperations",
    ]
  )
  func sleepingTransaction(wait: String) throws {
    let scheduler = OperationScheduler("waiting", workerLimit: 2)
    let stepped = try SteppedLoop()
    let clock = stepped.loop.clock
    let transaction = AsyncTransaction(on: stepped.loop, scheduler: scheduler)
    transaction.add { _ in try await Task.sleep(for: .seconds(5), clock: clock) }
    transaction.add { _ in }
    transaction.commit()
    if wait == "waitForTransactions" { stepped.waitForTransactions() }
    if wait == "waitForOperations" { stepped.waitForOperations(of: scheduler) }
    #expect(transaction.state == .committed)
    stepped.advance(by: .seconds(5))
    stepped.waitForTransactions()
    #expect(transaction.state == .complete)
    let error = SteppedLoop.SleepError(remaining: .seconds(5), in: wait)
    #expect(throws: error) { try stepped.close() }
    #expect("\(error)".hasPrefix("SteppedLoop.\(wait): the task sleeps on the loop's clock"))
  }

  // No wake follows the post by which the task begins to sleep.
  @Test(
    "a wait ends with an error if a task begins to sleep in the wait's tick",
    .enabled(if: Interposed.isAvailable)
  )
  func sleepInTick() throws {
    let stepped = try SteppedLoop()
    let (loop, gate, clock) = (stepped.loop, Gate(), stepped.loop.clock)
    let transaction = AsyncTransaction(on: loop, scheduler: OperationScheduler("waiting"))
    transaction.add { _ in
      gate.wait()
      try await Task.sleep(for: .seconds(5), clock: clock)
    }
    transaction.commit()
    var hasBegun = false
    let beginSleep = {
      guard !hasBegun else { return }
      hasBegun = true
      gate.open()
      while !loop.hasWorkOrPosts { System.yield() }
    }
    // libuv calls this handle before the loop runs posts.
    let handle = ForeignHandle(.prepare, on: loop.libuvLoop) {
      $0.stop()
      beginSleep()
    }.start()
    var blocks = 0
    Interposed.beforeBlocking { _ in
      blocks += 1
      loop.port.wake()
    } _: {
      // A wait that makes no tick yields.
      Interposed.before(.yield, beginSleep) { stepped.waitForTransactions() }
    }
    #expect(blocks == 0 && transaction.state == .committed)
    handle.close()
    #expect(throws: SteppedLoop.SleepError.self) { try stepped.close() }
  }

  @Test("waitForOperations(of:) ends with an error if a task's operation sleeps on the clock")
  @MainActor
  func sleepingRun() async throws {
    let scheduler = OperationScheduler("waiting", workerLimit: 2)
    let stepped = try await SteppedLoop()
    let clock = stepped.loop.clock
    let task = Task.detached {
      try await scheduler.run { _ in try await Task.sleep(for: .seconds(5), clock: clock) }
    }
    while !scheduler.hasOperations { await Task.yield() }
    stepped.waitForOperations(of: scheduler)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(throws: SteppedLoop.SleepError.self) { try stepped.close() }
  }

  @Test("waitForOperations(of:) returns after the closures of serial queues and completions")
  func queues() throws {
    let scheduler = OperationScheduler("waiting", workerLimit: 2)
    for _ in 0..<100 {
      let stepped = try SteppedLoop()
      let (queue, order) = (SerialQueue("q", on: scheduler), Locked<[Int]>([]))
      for number in 0..<20 { queue.add { order.withLock { $0.append(number) } } }
      var isComplete = false
      let transaction = AsyncTransaction(on: stepped.loop, scheduler: scheduler)
      transaction.add { _ in
      } completion: { _ in
        isComplete = true
      }
      transaction.commit()
      stepped.waitForOperations(of: scheduler)
      #expect(order.withLock { $0 } == Array(0..<20) && isComplete)
      try stepped.close()
    }
  }

  @Test("waitForOperations(of:) advances the clock for stepped operations, and not for timers")
  func operationsClock() throws {
    let stepped = try SteppedLoop()
    let (trace, start) = (stepped.trace, stepped.now)
    stepped.loop.post { trace.record("post") }
    stepped.loop.addTimer(after: .seconds(5)) { _ in trace.record("timer") }
    stepped.waitForOperations(of: OperationScheduler("unused"))
    #expect(trace.events == ["post"] && stepped.now == start)
    let time = Duration.seconds(3) ... .seconds(3)
    let workers = SteppedScheduler(on: stepped, operationTime: time)
    workers.scheduler.add { _ in }
    stepped.waitForOperations(of: workers.scheduler)
    #expect(workers.scheduler.metrics.running == 0 && workers.scheduler.metrics.queued == 0)
    #expect(start.duration(to: stepped.now) == .seconds(3) && trace.events == ["post"])
    try stepped.close()
  }

  @MainActor
  @Test("value(of:) throws if the task sleeps, with the time that the clock must advance")
  func sleeps() async throws {
    let stepped = try await SteppedLoop()
    let clock = stepped.loop.clock
    let task = Task {
      try await clock.sleep(for: .seconds(3))
      return 1
    }
    do {
      _ = try await stepped.value(of: task)
      Issue.record("value(of:) returned")
    } catch let error as SteppedLoop.SleepError {
      #expect(error.remaining == .seconds(3))
      #expect("\(error)".contains("call advance(by:) with 3.0 seconds or more"))
    }
    stepped.advance(by: .seconds(3))
    #expect(try await stepped.value(of: task) == 1)
    try stepped.close()
  }

  @MainActor
  @Test("a task that prefers the port sleeps after runUntilIdle(), and wakes in advance(by:)")
  func sleepsOnPort() async throws {
    let stepped = try await SteppedLoop()
    let (port, trace) = (stepped.loop.port, stepped.trace)
    let task = Task.detached(executorPreference: port) {
      trace.record("begins")
      try await port.clock.sleep(for: .seconds(3))
      trace.record("wakes")
    }
    stepped.runUntilIdle()
    #expect(trace.events == ["begins"])
    stepped.advance(by: .seconds(3))
    #expect(trace.events == ["begins", "wakes"])
    try await stepped.value(of: task)
    try stepped.close()
  }

  @Test("value(of:) reports a timer that may have to fire before the task ends")
  func hintAtTimer() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      try await waitForTimer()
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("a timer is due in 3.0 seconds on its clock"))
    #expect(text.contains("call advance(by:)"))
  }

  @Test("close() reports a transaction that threads ran and the test did not wait for")
  func hintAtThreads() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      try runOnThreads("save") { $0.runUntilIdle() }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("SteppedLoop.close: threads ran operations of save"))
    #expect(text.contains("waitForTransactions()"))
  }

  @Test("close() reports no transaction that the test waited for")
  func noHint() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      try runOnThreads("all") { $0.waitForTransactions() }
      try runOnThreads("one") { _ in
      } then: {
        $0.waitUntilComplete()
      }
      try runStepped()
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(!text.contains("SteppedLoop.close"))
  }
}

/// Awaits a task whose timer fires after many steps of the test.
@MainActor
private func waitForTimer() async throws {
  let stepped = try await SteppedLoop()
  let task = Task {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      stepped.loop.addTimer(after: .seconds(3)) { _ in continuation.resume() }
    }
  }
  Task {
    // The tasks of the main actor take turns, so `value(of:)` has as many rounds.
    for _ in 0..<200_000 { await Task.yield() }
    stepped.advance(by: .seconds(3))
  }
  try await stepped.value(of: task)
  try stepped.close()
}

private func runOnThreads(
  _ name: String,
  _ step: (SteppedLoop) -> Void,
  then wait: (AsyncTransaction) -> Void = { _ in }
) throws {
  let stepped = try SteppedLoop()
  let transaction = AsyncTransaction(on: stepped.loop, name: name)
  transaction.add { _ in }
  transaction.commit()
  step(stepped)
  wait(transaction)
  try stepped.close()
}

private func runStepped() throws {
  let stepped = try SteppedLoop()
  let scheduler = SteppedScheduler(on: stepped).scheduler
  let transaction = AsyncTransaction(on: stepped.loop, scheduler: scheduler)
  transaction.add { _ in }
  transaction.commit()
  try stepped.close()
}
