import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("Priority escalation")
struct EscalationTests {
  @Test("raising the priority of a task moves the operation that it awaits")  // O13
  @available(macOS 26.0, *)
  func run() async throws {
    let scheduler = OperationScheduler.alone(workers: 1)
    let frozen = FrozenWorkers(scheduler, 1)
    let trace = Trace()
    let tasks = await queue(
      scheduler,
      [
        Task(priority: .background) { try? await scheduler.run { _ in trace.record("raised") } },
        Task(priority: .background) {
          _ = try? await scheduler.run { _ in
            trace.record("raised async")
            await Task.yield()
          }
        },
        Task(priority: .background) {
          try? await scheduler.run(priority: .interactive) { _ in trace.record("explicit") }
        },
      ]
    )
    scheduler.add { _ in trace.record("normal") }
    for task in tasks { task.escalatePriority(to: .high) }
    frozen.thaw()
    for task in tasks { await task.value }
    try await scheduler.run(priority: .background) { _ in }
    let order = trace.events
    #expect(order.first == "explicit" && order.last == "normal")
    #expect(Set(order) == ["explicit", "raised", "raised async", "normal"])
  }

  @Test("raising the priority of a task raises the priority of its body, too")  // O13
  @available(macOS 26.0, *)
  func body() async throws {
    let scheduler = OperationScheduler.alone()
    let (began, goOn) = (Gate(), Gate())
    let task = Task.detached(priority: .background) {
      try await scheduler.run { _ in
        began.open()
        goOn.wait()
        return Task.currentPriority
      }
    }
    await waitOff(began)
    task.escalatePriority(to: .high)
    goOn.open()
    // Without `value`, which would raise the priority, too.
    while scheduler.metrics.running > 0 { await Task.yield() }
    #expect(try await task.value == .high)
  }

  @Test(
    "a body's task has the priority of its operation",
    arguments: [TaskPriority.background, .utility, .medium, TaskPriority(rawValue: 22), .high]
  )
  func explicit(_ priority: TaskPriority) async throws {  // C1, O13
    let scheduler = OperationScheduler.alone()
    let task = Task.detached(priority: .medium) {
      try await scheduler.run(priority: OperationPriority(priority)) { _ in Task.currentPriority }
    }
    #expect(try await task.value == priority)
  }

  @Test("an async body's task has the priority to which its operation was moved")  // O13
  @available(macOS 26.0, *)
  func moved() throws {
    try withLoop { loop in
      let scheduler = OperationScheduler.alone(workers: 1)
      let frozen = FrozenWorkers(scheduler, 1)
      let transaction = AsyncTransaction(on: loop, scheduler: scheduler)
      var priority: TaskPriority?
      let operation = transaction.add(priority: .background) { _ in
        await Task.yield()
        return Task.currentPriority
      } completion: {
        priority = $0.value
      }
      #expect(operation.setPriority(.high))
      transaction.commit()
      frozen.thaw()
      #expect(loop.runInTime() == .finished)
      #expect(priority == .high)
    }
  }

  @Test("raising the priority of a task moves the single flight that it awaits")  // O10, O13
  @available(macOS 26.0, *)
  func flight() async throws {
    let scheduler = OperationScheduler.alone(workers: 1)
    let frozen = FrozenWorkers(scheduler, 1)
    let flights = SingleFlight<Int, Int>(on: scheduler)
    let trace = Trace()
    let tasks = await queue(
      scheduler,
      [
        Task(priority: .background) {
          _ = try? await flights.value(for: 1) { _ in
            trace.record("raised")
            return 1
          }
        }
      ]
    )
    scheduler.add { _ in trace.record("normal") }
    for task in tasks { task.escalatePriority(to: .high) }
    frozen.thaw()
    for task in tasks { await task.value }
    try await scheduler.run(priority: .background) { _ in }
    #expect(trace.events == ["raised", "normal"])
  }

  /// Waits until the operations of `tasks` are queued.
  private func queue(
    _ scheduler: OperationScheduler,
    _ tasks: [Task<Void, Never>]
  ) async -> [Task<Void, Never>] {
    while scheduler.metrics.queued < tasks.count { await Task.yield() }
    return tasks
  }
}
