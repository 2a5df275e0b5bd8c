import LoopTransactions
import LoopTransactionsTesting
import Testing

// C6, O1, O2, O3
@Suite("SteppedScheduler: operations")
struct SteppedSchedulerTests {
  @Test("nothing runs until the loop is stepped")
  func waits() throws {
    let stepped = try SteppedLoop()
    let (scheduler, trace) = (SteppedScheduler(on: stepped).scheduler, stepped.trace)
    scheduler.add { _ in trace.record("operation") }
    #expect(scheduler.metrics.queued == 1)
    #expect(!stepped.isIdle)
    stepped.step()
    #expect(trace.events == [])
    stepped.runUntilIdle()
    #expect(trace.events == ["operation"])
    #expect(scheduler.metrics.queued + scheduler.metrics.running == 0)
    #expect(stepped.isIdle)
    try stepped.close()
  }

  @Test("step() begins an operation, and a second step finishes it")
  func steps() throws {
    let stepped = try SteppedLoop()
    let (workers, trace) = (SteppedScheduler(on: stepped), stepped.trace)
    let operation = workers.scheduler.add { operation in
      trace.record(operation.isCancelled ? "cancelled" : "run")
    }
    #expect(workers.step())
    #expect(trace.events == [])
    // It has begun, so it runs, and sees that it was cancelled.
    #expect(!operation.cancel())
    #expect(workers.step())
    #expect(trace.events == ["cancelled"])
    #expect(!workers.step())
    #expect(workers.isIdle)
    try stepped.close()
  }

  @Test("an operation cancelled before it begins does not run")
  func cancelQueued() throws {
    let stepped = try SteppedLoop()
    let (workers, trace) = (SteppedScheduler(on: stepped), stepped.trace)
    let operation = workers.scheduler.add { _ in trace.record("run") }
    #expect(operation.cancel())
    stepped.runUntilIdle()
    #expect(trace.events == [])
    try stepped.close()
  }

  @Test("one worker runs operations by priority, and equal ones in the order added")
  func oneWorker() throws {
    for seed in UInt64(0)..<20 {
      let stepped = try SteppedLoop(seed: seed)
      let workers = SteppedScheduler(on: stepped, workerLimit: 1)
      let trace = stepped.trace
      for (name, priority) in [("a", .normal), ("b", .high), ("c", .normal), ("d", .high)]
        as [(String, OperationPriority)]
      {
        workers.scheduler.add(priority: priority) { _ in trace.record(name) }
      }
      stepped.runUntilIdle()
      #expect(trace.events == ["b", "d", "a", "c"])
      try stepped.close()
    }
  }

  @Test("one worker runs the oldest operation as every eighth")
  func aging() throws {
    let stepped = try SteppedLoop()
    let workers = SteppedScheduler(on: stepped, workerLimit: 1)
    let trace = stepped.trace
    workers.scheduler.add(priority: .background) { _ in trace.record("old") }
    for _ in 0..<10 { workers.scheduler.add(priority: .high) { _ in trace.record("urgent") } }
    stepped.runUntilIdle()
    #expect(trace.events.firstIndex(of: "old") == 7)
    try stepped.close()
  }

  @Test("the same seed produces the same order, and other seeds produce others")
  func seeded() throws {
    let orders = try (0..<20).map { try order(seed: $0) }
    #expect(Set(orders).count > 10)
    for seed in UInt64(0)..<20 { #expect(try order(seed: seed) == orders[Int(seed)]) }
    for order in orders { #expect(order.sorted() == Array(0..<8)) }
  }

  private func order(seed: UInt64) throws -> [Int] {
    let stepped = try SteppedLoop(seed: seed)
    let (workers, trace) = (SteppedScheduler(on: stepped), stepped.trace)
    for number in 0..<8 { workers.scheduler.add { _ in trace.record("\(number)") } }
    stepped.runUntilIdle()
    try stepped.close()
    return trace.events.compactMap { Int($0) }
  }

  @Test("a body that uses the loop itself traps, and the message names the completion")
  func offThread() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let stepped = try SteppedLoop()
      nonisolated(unsafe) let loop = stepped.loop
      SteppedScheduler(on: stepped).scheduler.add { _ in loop.post {} }
      stepped.runUntilIdle()
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("EventLoop.post: the body of an operation runs off the loop"))
    #expect(text.contains("completion"))
  }

  @Test("a body that calls postAndWait gets its answer from a tick of the loop")
  func postAndWait() throws {
    let stepped = try SteppedLoop()
    let (port, trace) = (stepped.loop.port, stepped.trace)
    SteppedScheduler(on: stepped).scheduler.add { _ in
      trace.record("operation")
      #expect(EventLoop.current == nil)
      let value = try? port.postAndWait {
        trace.record("loop")
        return EventLoop.current == nil ? 0 : 1
      }
      trace.record("answer \(value ?? -1)")
    }
    stepped.runUntilIdle()
    #expect(trace.events == ["operation", "loop", "answer 1"])
    try stepped.close()
  }

  @Test("an operation that calls apply() makes all its calls")
  func apply() throws {
    try SteppedLoop.forEachOrder { stepped in
      let (scheduler, trace) = (SteppedScheduler(on: stepped).scheduler, stepped.trace)
      scheduler.add { _ in scheduler.apply(3) { trace.record("\($0)") } }
      scheduler.add { _ in trace.record("other") }
      stepped.runUntilIdle()
      #expect(trace.events.sorted() == ["0", "1", "2", "other"])
    }
  }

  @Test("operations that remain when the loop is closed run then")
  func close() throws {
    let stepped = try SteppedLoop()
    let (scheduler, trace) = (SteppedScheduler(on: stepped).scheduler, stepped.trace)
    scheduler.add { _ in
      trace.record("first")
      scheduler.add { _ in trace.record("second") }
    }
    try stepped.close()
    #expect(trace.events == ["first", "second"])
  }

  @Test("an operation takes the given time on the loop's clock")
  func operationTime() throws {
    let stepped = try SteppedLoop()
    let time = Duration.milliseconds(10) ... .milliseconds(10)
    let workers = SteppedScheduler(on: stepped, workerLimit: 2, operationTime: time)
    let (trace, start, clock) = (stepped.trace, stepped.now, stepped.loop.port.clock)
    for name in ["a", "b", "c"] {
      workers.scheduler.add { _ in trace.record("\(name) at \(start.duration(to: clock.now))") }
    }
    stepped.advance(by: .milliseconds(9))
    #expect(trace.events == [])
    stepped.advance(by: .seconds(1))
    #expect(trace.events == ["a at 0.01 seconds", "b at 0.01 seconds", "c at 0.02 seconds"])
    try stepped.close()
  }

  @Test("a seed chooses how long an operation takes, so a later one can finish first")
  func overtakes() throws {
    var orders: Set<[String]> = []
    for seed in UInt64(0)..<50 {
      let stepped = try SteppedLoop(seed: seed)
      let workers = SteppedScheduler(on: stepped, operationTime: .zero ... .seconds(3))
      let (scheduler, trace) = (workers.scheduler, stepped.trace)
      scheduler.add { _ in trace.record("first") }
      stepped.loop.addTimer(after: .seconds(1)) { _ in
        scheduler.add { _ in trace.record("second") }
      }
      stepped.advance(by: .seconds(5))
      orders.insert(trace.events)
      try stepped.close()
    }
    #expect(orders == [["first", "second"], ["second", "first"]])
  }

  @Test("interactive mode leaves one worker fewer")
  func interactive() throws {
    let stepped = try SteppedLoop(seed: 3)
    let workers = SteppedScheduler(on: stepped, workerLimit: 2)
    let trace = stepped.trace
    workers.scheduler.isInteractive = true
    for number in 0..<6 { workers.scheduler.add { _ in trace.record("\(number)") } }
    stepped.runUntilIdle()
    #expect(trace.events == (0..<6).map { "\($0)" })
    try stepped.close()
  }

  @Test("a released scheduler still runs its operations")
  func released() throws {
    let stepped = try SteppedLoop()
    let trace = stepped.trace
    SteppedScheduler(on: stepped).scheduler.add { _ in trace.record("run") }
    stepped.runUntilIdle()
    #expect(trace.events == ["run"])
    try stepped.close()
  }

  @Test("an operation that another thread adds runs on the thread of the test")
  func addedElsewhere() async throws {
    try await MainActor.run {
      let stepped = try SteppedLoop()
      let (scheduler, trace) = (SteppedScheduler(on: stepped).scheduler, stepped.trace)
      OperationScheduler.shared.apply(8) { number in
        scheduler.add { _ in
          MainActor.assumeIsolated {}
          trace.record("\(number)")
        }
      }
      stepped.runUntilIdle()
      #expect(trace.events.sorted() == (0..<8).map { "\($0)" })
      try stepped.close()
    }
  }

  @Test("a workerLimit below 1 traps")
  func noWorker() async {
    await #expect(processExitsWith: .failure) {
      _ = try SteppedScheduler(on: SteppedLoop(), workerLimit: 0)
    }
  }
}
