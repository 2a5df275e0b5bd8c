import LoopTransactions
import LoopTransactionsTesting
import Testing

@Suite("Stress: tasks on a stepped scheduler", .serialized)
struct SteppedTaskStressTests {
  // C6, O13
  @MainActor
  @Test("equal seeds repeat the order in which tasks return from run() and value()")
  func tasks() async throws {
    var orders: Set<[String]> = []
    for number in 0..<UInt64(Workload.count(2_000)) {
      let seed = Workload.seed &* 1_000_000 &+ number
      let order = try await orderOfTasks(seed)
      #expect(try await orderOfTasks(seed) == order, "seed \(seed)")
      orders.insert(order)
    }
    #expect(orders.count > 1)
  }

  @MainActor
  private func orderOfTasks(_ seed: UInt64) async throws -> [String] {
    let stepped = try await SteppedLoop(seed: seed)
    let scheduler = SteppedScheduler(on: stepped, workerLimit: 3).scheduler
    let (flight, trace) = (SingleFlight<Int, Int>(on: scheduler), stepped.trace)
    let tasks = (0..<4).map { task in
      Task {
        for step in 0..<3 {
          _ = try await scheduler.run { _ in trace.record("body \(task) \(step)") }
          trace.record("task \(task) \(step)")
        }
        _ = try await flight.value(for: task / 2) { _ in task }
        trace.record("task \(task) ends")
      }
    }
    for task in tasks { try await stepped.value(of: task) }
    try stepped.close()
    return trace.events
  }
}
