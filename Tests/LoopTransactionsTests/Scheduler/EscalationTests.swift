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
