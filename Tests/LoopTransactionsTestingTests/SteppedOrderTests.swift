import LoopTransactions
import LoopTransactionsTesting
import Testing

// C6, O1, O2, O3
@Suite("SteppedLoop: every order")
struct SteppedOrderTests {
  @Test("the operations of one priority finish in every order", arguments: 1...6)
  func permutations(_ count: Int) throws {
    var orders: Set<[String]> = []
    let visited = try SteppedLoop.forEachOrder { stepped in
      let (scheduler, trace) = (SteppedScheduler(on: stepped).scheduler, stepped.trace)
      for number in 0..<count { scheduler.add { _ in trace.record("\(number)") } }
      stepped.runUntilIdle()
      orders.insert(trace.events)
    }
    let expected = (1...count).reduce(1, *)
    #expect(orders.count == expected)
    // No order is visited twice.
    #expect(visited == expected)
  }

  @Test("with two workers, an operation finishes at most one place early")
  func twoWorkers() throws {
    var orders: Set<[String]> = []
    try SteppedLoop.forEachOrder { stepped in
      let workers = SteppedScheduler(on: stepped, workerLimit: 2)
      let trace = stepped.trace
      for number in 0..<4 { workers.scheduler.add { _ in trace.record("\(number)") } }
      stepped.runUntilIdle()
      orders.insert(trace.events)
    }
    #expect(orders.count == 8)
    for order in orders {
      for (place, name) in order.enumerated() { #expect(Int(name)! <= place + 1) }
    }
  }

  @Test("an urgent operation that another one adds comes before or after the queued ones")
  func addedByOperation() throws {
    var orders: Set<String> = []
    try SteppedLoop.forEachOrder { stepped in
      let workers = SteppedScheduler(on: stepped, workerLimit: 2)
      let (scheduler, trace) = (workers.scheduler, stepped.trace)
      scheduler.add { _ in
        trace.record("a")
        scheduler.add(priority: .high) { _ in trace.record("urgent") }
      }
      for name in ["b", "c"] { scheduler.add { _ in trace.record(name) } }
      stepped.runUntilIdle()
      orders.insert(trace.events.joined(separator: " "))
    }
    // The order of the operations without `urgent` is one that two workers have.
    #expect(orders.contains("a urgent b c"))
    #expect(orders.contains("a b c urgent"))
    #expect(orders.contains("b a urgent c"))
    #expect(orders.contains("b c a urgent"))
  }

  @Test("a tick comes before, between and after the operations")
  func ticks() throws {
    var orders: Set<String> = []
    try SteppedLoop.forEachOrder { stepped in
      let (scheduler, trace) = (SteppedScheduler(on: stepped).scheduler, stepped.trace)
      for name in ["a", "b"] { scheduler.add { _ in trace.record(name) } }
      stepped.loop.post { trace.record("tick") }
      stepped.runUntilIdle()
      orders.insert(trace.events.joined(separator: " "))
    }
    #expect(orders.count == 6)
  }

  @Test("completions are called in the order in which their operations finish, or together")
  func ownTransactions() throws {
    let visited = try SteppedLoop.forEachOrder { stepped in
      let scheduler = SteppedScheduler(on: stepped).scheduler
      var completed: [Int] = []
      for number in 0..<5 {
        let transaction = AsyncTransaction(on: stepped.loop, scheduler: scheduler)
        transaction.add { _ in
          number
        } completion: {
          completed.append($0.value ?? -1)
        }
        transaction.commit()
      }
      stepped.runUntilIdle()
      #expect(completed.sorted() == Array(0..<5), "\(stepped.choices)")
    }
    // 120 orders of the operations, with or without a tick after each of the
    // first four.
    #expect(visited == 120 * 16)
  }

  @Test("choices repeat an order")
  func repeats() throws {
    func order(_ stepped: SteppedLoop) -> [String] {
      let (scheduler, trace) = (SteppedScheduler(on: stepped).scheduler, stepped.trace)
      for number in 0..<5 { scheduler.add { _ in trace.record("\(number)") } }
      stepped.runUntilIdle()
      return trace.events
    }
    for seed in UInt64(1)...20 {
      let first = try SteppedLoop(seed: seed)
      let expected = order(first)
      let second = try SteppedLoop(choices: first.choices)
      #expect(order(second) == expected)
      #expect(second.choices == first.choices)
      try first.close()
      try second.close()
    }
  }

  @Test("an error names the choices of its order")
  func namesChoices() throws {
    struct Stale: Error {}
    do {
      try SteppedLoop.forEachOrder { stepped in
        let (scheduler, trace) = (SteppedScheduler(on: stepped).scheduler, stepped.trace)
        for number in 0..<3 { scheduler.add { _ in trace.record("\(number)") } }
        stepped.runUntilIdle()
        if trace.events == ["2", "0", "1"] { throw Stale() }
      }
      Issue.record("no order threw")
    } catch SteppedLoop.OrderError.failed(let choices, let error) {
      #expect(error is Stale)
      #expect(choices.contains(2))
    }
  }

  @Test("more orders than the limit are an error")
  func limit() throws {
    let error = #expect(throws: SteppedLoop.OrderError.self) {
      try SteppedLoop.forEachOrder(limit: 5) { stepped in
        let scheduler = SteppedScheduler(on: stepped).scheduler
        for _ in 0..<3 { scheduler.add { _ in } }
        stepped.runUntilIdle()
      }
    }
    #expect("\(error as Any)".contains("more than 5 orders"))
  }

  @Test("a test whose steps depend on more than the order is an error")
  func notRepeatable() throws {
    var runs = 0
    let error = #expect(throws: SteppedLoop.OrderError.self) {
      try SteppedLoop.forEachOrder { stepped in
        runs += 1
        let scheduler = SteppedScheduler(on: stepped).scheduler
        for _ in 0..<(runs == 1 ? 3 : 1) { scheduler.add { _ in } }
        stepped.runUntilIdle()
      }
    }
    #expect("\(error as Any)".contains("must not depend on time"))
  }
}
