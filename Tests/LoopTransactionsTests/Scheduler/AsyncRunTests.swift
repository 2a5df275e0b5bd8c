import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

private struct Failure: Error {}

private enum Context {
  @TaskLocal static var request = "none"
}

/// Runs each job in the call that enqueues it.
private final class AtOnce: TaskExecutor {
  func enqueue(_ job: UnownedJob) { job.runSynchronously(on: asUnownedTaskExecutor()) }
}

@Suite("Operations with async bodies: run")
struct AsyncRunTests {
  @Test("run returns the body's result, rethrows its error, and stays on the workers")  // O13
  func values() async throws {
    let scheduler = OperationScheduler.alone("async-run", workers: 1)
    let names = try await scheduler.run { _ in
      let first = System.threadName
      await Task.yield()
      return [first, System.threadName]
    }
    #expect(names.allSatisfy { $0.hasPrefix("async-run") }, "\(names)")
    await #expect(throws: Failure.self) {
      try await scheduler.run { _ in
        await Task.yield()
        throw Failure()
      }
    }
    #expect(inTime { scheduler.metrics.running == 0 })
  }

  @Test("the body's task has the name of the task that awaits it, if it has one")  // O13
  @available(macOS 26.0, *)
  func names() async throws {
    let scheduler = OperationScheduler.alone()
    for name in ["load", nil] {
      let task = Task(name: name) {
        try await scheduler.run { _ in
          await Task.yield()
          return Task.name
        }
      }
      #expect(try await task.value == name)
    }
  }

  // O13
  @Test("a body has the task-local values of the calling task, and can bind others")
  func taskLocals() async throws {
    let scheduler = OperationScheduler.alone()
    let flights = SingleFlight<Int, String>(on: scheduler)
    try await Context.$request.withValue("A") {
      let values = try await [
        scheduler.run { _ in Context.request },
        scheduler.run { _ in
          await Task.yield()
          return Context.request
        },
        flights.value(for: 1) { _ in Context.request },
        scheduler.run { _ in Context.$request.withValue("B") { Context.request } },
        scheduler.run { _ in try await scheduler.run { _ in Context.request } },
      ]
      #expect(values == ["A", "A", "A", "B", "A"])
    }
    #expect(try await scheduler.run { _ in Context.request } == "none")
  }

  // O5, O13
  @Test("Task.isCancelled becomes true in a running body", arguments: ["run", "async", "flight"])
  func isCancelled(call: String) async throws {
    let scheduler = OperationScheduler.alone()
    let flights = SingleFlight<Int, Bool>(on: scheduler)
    let (began, ended, log) = (Gate(), Gate(), Log())
    let body: @Sendable (ScheduledOperation) -> Bool = { operation in
      began.open()
      log.add("\(inTime { Task.isCancelled && operation.isCancelled })")
      ended.open()
      return true
    }
    let task = Task {
      switch call {
      case "run": try await scheduler.run(body)
      case "async": try await scheduler.run { operation async in body(operation) }
      default: try await flights.value(for: 1, body)
      }
    }
    await Task.detached { _ = began.waitInTime() }.value
    task.cancel()
    await Task.detached { _ = ended.waitInTime() }.value
    _ = await task.result
    #expect(log.events == ["true"])
  }

  @Test("a body that does not suspend is queued once")  // O13
  func once() async throws {
    let scheduler = OperationScheduler.alone(workers: 1)
    let gate = TaskGate()
    gate.open()
    let before = scheduler.metrics.added
    let value = try await scheduler.run { operation in
      operation.isCancelled ? await Self.zero() : 1
    }
    #expect(value == 1 && scheduler.metrics.added - before == 1)
  }

  private static func zero() async -> Int { 0 }

  @Test("a suspended body does not hold a worker")  // O13
  func suspends() async throws {
    let scheduler = OperationScheduler.alone(workers: 1)
    let (gate, trace) = (TaskGate(), Trace())
    async let suspended: Void = scheduler.run { _ in
      trace.record("began")
      await gate.wait()
      trace.record("continued")
    }
    while trace.events.isEmpty { await Task.yield() }
    try await scheduler.run { _ in trace.record("other") }
    gate.open()
    try await suspended
    #expect(trace.events == ["began", "other", "continued"])
  }

  @Test("cancelling a task removes its queued operation and releases the captures")  // O5, O13
  func cancelsQueued() async throws {
    let scheduler = OperationScheduler.alone(workers: 1)
    let frozen = FrozenWorkers(scheduler, 1)
    let (ran, released) = (Tally(), Tally())
    let task = Task {
      let witness = Witness { released.increment() }
      try await scheduler.run { _ in
        witness.touch()
        await Task.yield()
        ran.increment()
      }
    }
    while scheduler.metrics.queued == 0 { await Task.yield() }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(scheduler.metrics.queued == 0 && released.value == 1)
    frozen.thaw()
    #expect(ran.value == 0)
  }

  @Test("cancelling a task sets isCancelled of its suspended operation, and waits for it")  // O5
  func cancelsSuspended() async throws {
    let scheduler = OperationScheduler.alone(workers: 1)
    let (gate, began) = (TaskGate(), Tally())
    let task = Task {
      try await scheduler.run { operation in
        began.increment()
        await gate.wait()
        return [operation.isCancelled, Task.isCancelled]
      }
    }
    while began.value == 0 { await Task.yield() }
    task.cancel()
    gate.open()
    #expect(try await task.value == [true, true])
  }

  @Test("the captures are released before the task continues")  // O12, O13
  func releases() async throws {
    let scheduler = OperationScheduler.alone()
    for _ in 0..<100 {
      let trace = Trace()
      try await scheduler.run(Self.holding(trace))
      trace.record("continued")
      #expect(trace.events == ["ran", "released", "continued"])
    }
  }

  @Test("the captures of a cancelled body are released before the task continues")  // O5, O12
  func releasesCancelled() async {
    let scheduler = OperationScheduler.alone(workers: 1)
    let (frozen, trace) = (FrozenWorkers(scheduler, 1), Trace())
    let task = Task(executorPreference: AtOnce()) {
      _ = try? await scheduler.run(Self.holding(trace))
      trace.record("continued")
    }
    while scheduler.metrics.queued == 0 { await Task.yield() }
    task.cancel()
    await task.value
    #expect(trace.events == ["released", "continued"])
    frozen.thaw()
  }

  private static func holding(
    _ trace: Trace
  ) -> @Sendable (ScheduledOperation) async throws -> Void {
    let witness = Witness { trace.record("released") }
    return { _ in
      await Task.yield()
      witness.touch()
      trace.record("ran")
    }
  }

  @Test("operations with async bodies are queued by priority, with those of synchronous ones")
  func priorities() async throws {  // O2, O13
    let scheduler = OperationScheduler.alone(workers: 1)
    let frozen = FrozenWorkers(scheduler, 1)
    let trace = Trace()
    await withTaskGroup(of: Void.self) { group in
      for (number, priority) in [OperationPriority.low, .high, .normal].enumerated() {
        group.addTask {
          _ = try? await scheduler.run(priority: priority) { _ in
            trace.record("async \(number)")
            await Task.yield()
          }
        }
        while scheduler.metrics.queued <= number { await Task.yield() }
      }
      scheduler.add(priority: .interactive) { _ in trace.record("sync") }
      frozen.thaw()
    }
    #expect(trace.events == ["sync", "async 1", "async 2", "async 0"])
  }
}
