import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

/// Saves its text two seconds after the last change.
private final class Draft {
  static let show = Selector<Draft>("show") { $0.shown.append($0.text) }

  private(set) var text = ""
  private(set) var shown: [String] = []
  private(set) var saved: [String] = []
  private let loop: EventLoop
  private let scheduler: OperationScheduler
  private var timer: LoopTimer?

  init(_ loop: EventLoop, _ scheduler: OperationScheduler) {
    self.loop = loop
    self.scheduler = scheduler
  }

  func type(_ more: String) {
    text += more
    loop.commit(self, Draft.show)
    timer?.cancel()
    timer = loop.addTimer(after: .seconds(2)) { [weak self] _ in self?.save() }
  }

  private func save() {
    let transaction = AsyncTransaction(on: loop, scheduler: scheduler)
    let text = text
    transaction.add("save") { _ in
      text.uppercased()
    } completion: { [weak self] in
      if let value = $0.value { self?.saved.append(value) }
    }
    transaction.commit()
  }
}

// C6, O5, O6, O11
@Suite("SteppedScheduler: transactions, queues and tasks")
struct SteppedTransactionTests {
  @Test("a save two seconds after the last change passes with 10,000 seeds")
  func debouncedSave() throws {
    // A sanitizer makes a run twenty times as long.
    for seed in UInt64(0)..<(Interposed.isSanitized ? 500 : 10_000) {
      let stepped = try SteppedLoop(seed: seed)
      let draft = Draft(stepped.loop, SteppedScheduler(on: stepped).scheduler)
      draft.type("a")
      stepped.advance(by: .seconds(1))
      draft.type("b")
      stepped.advance(by: .seconds(1))
      #expect(draft.saved == [], "seed \(seed)")
      stepped.advance(by: .seconds(1))
      #expect(draft.saved == ["AB"], "seed \(seed)")
      #expect(draft.shown == ["a", "ab"], "seed \(seed)")
      try stepped.close()
    }
  }

  @Test("a save that is slower than the next one is found")
  func slowSave() throws {
    var results: Set<[String]> = []
    try SteppedLoop.forEachOrder { stepped in
      let workers = SteppedScheduler(on: stepped, operationTime: .zero ... .seconds(5))
      let draft = Draft(stepped.loop, workers.scheduler)
      draft.type("a")
      stepped.advance(by: .seconds(2))
      draft.type("b")
      stepped.advance(by: .seconds(9))
      results.insert(draft.saved)
    }
    #expect(results == [["A", "AB"], ["AB", "A"]])
  }

  @Test("completions are called in the order added, in every order of the operations")
  func completions() throws {
    var orders: Set<[String]> = []
    try SteppedLoop.forEachOrder { stepped in
      let (scheduler, trace) = (SteppedScheduler(on: stepped).scheduler, stepped.trace)
      let transaction = AsyncTransaction(on: stepped.loop, scheduler: scheduler)
      for number in 0..<3 {
        transaction.add { _ in
          trace.record("run \(number)")
        } completion: { _ in
          trace.record("complete \(number)")
        }
      }
      transaction.commit()
      stepped.runUntilIdle()
      #expect(trace.events.suffix(3) == ["complete 0", "complete 1", "complete 2"])
      orders.insert(trace.events)
    }
    #expect(orders.count == 6)
  }

  @Test("a cancelled transaction completes in every order, whether operations began or not")
  func cancel() throws {
    var outcomes: Set<String> = []
    try SteppedLoop.forEachOrder { stepped in
      let (scheduler, trace) = (SteppedScheduler(on: stepped).scheduler, stepped.trace)
      let transaction = AsyncTransaction(on: stepped.loop, scheduler: scheduler)
      transaction.add { _ in
        trace.record("run")
      } completion: { outcome in
        if case .cancelled = outcome { trace.record("cancelled") } else { trace.record("value") }
      }
      transaction.commit()
      stepped.loop.post { transaction.cancel() }
      stepped.runUntilIdle()
      #expect(transaction.state == .complete)
      outcomes.insert(trace.events.joined(separator: " "))
    }
    #expect(outcomes == ["cancelled", "run cancelled"])
  }

  @Test("waitUntilComplete runs the operations that have begun")
  func waits() throws {
    let stepped = try SteppedLoop()
    let (workers, trace) = (SteppedScheduler(on: stepped, workerLimit: 1), stepped.trace)
    let transaction = AsyncTransaction(on: stepped.loop, scheduler: workers.scheduler)
    for name in ["a", "b"] {
      transaction.add { _ in
        trace.record(name)
      } completion: { _ in
        trace.record("done \(name)")
      }
    }
    #expect(workers.step())
    transaction.waitUntilComplete()
    #expect(trace.events == ["a", "b", "done a", "done b"])
    stepped.runUntilIdle()
    try stepped.close()
  }

  @Test("closing the loop completes a transaction whose operation has begun")
  func closes() throws {
    let stepped = try SteppedLoop()
    let (workers, trace) = (SteppedScheduler(on: stepped), stepped.trace)
    let transaction = AsyncTransaction(on: stepped.loop, scheduler: workers.scheduler)
    transaction.add { _ in
      1
    } completion: {
      trace.record("\($0.value ?? 0)")
    }
    transaction.commit()
    #expect(workers.step())
    try stepped.close()
    #expect(trace.events == ["0"])
  }

  @Test("close() throws if a transaction with operations was not committed, and names it")
  func uncommitted() throws {
    let stepped = try SteppedLoop()
    let scheduler = SteppedScheduler(on: stepped).scheduler
    let (loop, trace) = (stepped.loop, stepped.trace)
    let transactions = ["empty", "committed", "forgotten"].map {
      AsyncTransaction(on: loop, name: $0, scheduler: scheduler)
    }
    for transaction in transactions.dropFirst() {
      transaction.add { _ in
      } completion: { [name = transaction.name] in
        trace.record("\(name) \($0)")
      }
    }
    transactions[1].commit()
    stepped.runUntilIdle()
    // Releasing an open transaction traps.
    let error = withExtendedLifetime(transactions) {
      #expect(throws: SteppedLoop.UncommittedError.self) { try stepped.close() }
    }
    #expect(error?.transactions == ["forgotten"])
    #expect("\(error as Any)".contains("forgotten; call commit()"))
    #expect(trace.events == ["committed value()", "forgotten cancelled"])
  }

  @Test("a serial queue keeps its order, and two queues interleave in every way")
  func serialQueues() throws {
    for workerLimit in 1...2 {
      var orders: Set<[String]> = []
      try SteppedLoop.forEachOrder { stepped in
        let workers = SteppedScheduler(on: stepped, workerLimit: workerLimit)
        let trace = stepped.trace
        let queues = ["a", "b"].map { SerialQueue($0, on: workers.scheduler) }
        for number in 1...2 {
          for queue in queues { queue.add { trace.record("\(queue.name)\(number)") } }
        }
        stepped.runUntilIdle()
        orders.insert(trace.events)
      }
      // 6 interleavings of two pairs. One worker begins with a1.
      let all = [
        ["a1", "a2", "b1", "b2"], ["a1", "b1", "a2", "b2"], ["a1", "b1", "b2", "a2"],
        ["b1", "a1", "a2", "b2"], ["b1", "a1", "b2", "a2"], ["b1", "b2", "a1", "a2"],
      ]
      #expect(orders.isSubset(of: all))
      #expect(workerLimit == 1 ? orders.allSatisfy { $0[0] == "a1" } : orders.count == 6)
    }
  }

  @Test("tasks that share a flight get one result")
  func singleFlight() throws {
    try SteppedLoop.forEachOrder { stepped in
      let (scheduler, trace) = (SteppedScheduler(on: stepped).scheduler, stepped.trace)
      let flight = SingleFlight<Int, String>(on: scheduler)
      let transaction = AsyncTransaction(on: stepped.loop, scheduler: scheduler)
      for _ in 0..<2 {
        transaction.add(flight, for: 1) { _ in
          trace.record("load")
          return "page"
        } completion: {
          trace.record($0.value ?? "none")
        }
      }
      transaction.commit()
      stepped.runUntilIdle()
      #expect(trace.events == ["load", "page", "page"])
    }
  }

  @MainActor
  @Test("a task that awaits run() goes on when the operation was stepped")
  func awaitsRun() async throws {
    let stepped = try await SteppedLoop(seed: 1)
    let scheduler = SteppedScheduler(on: stepped).scheduler
    let task = Task {
      let first = try await scheduler.run { _ in 20 }
      let second = try await scheduler.run { _ in 1 }
      return 2 * first + second + 1
    }
    #expect(try await stepped.value(of: task) == 42)
    try stepped.close()
  }

  @MainActor
  @Test("every order of an async test is tried")
  func asyncOrders() async throws {
    var orders: Set<[String]> = []
    try await SteppedLoop.forEachOrder { stepped in
      let (scheduler, trace) = (SteppedScheduler(on: stepped).scheduler, stepped.trace)
      for name in ["a", "b"] { scheduler.add { _ in trace.record(name) } }
      try await stepped.value(of: Task { trace.record("task") })
      orders.insert(trace.events.filter { $0 != "task" })
    }
    #expect(orders == [["a", "b"], ["b", "a"]])
  }

  @Test("an async body runs when it is stepped, in every order of its parts")
  func asyncBodies() throws {
    var orders: Set<[String]> = []
    try SteppedLoop.forEachOrder { stepped in
      let (scheduler, trace) = (SteppedScheduler(on: stepped).scheduler, stepped.trace)
      let transaction = AsyncTransaction(on: stepped.loop, scheduler: scheduler)
      for name in ["a", "b"] {
        transaction.add { _ in
          trace.record("\(name)1")
          await Task.yield()
          trace.record("\(name)2")
        }
      }
      transaction.commit()
      stepped.runUntilIdle()
      #expect(transaction.state == .complete)
      orders.insert(trace.events)
    }
    #expect(orders.count == 6)
  }

  @MainActor
  @Test("value(of:) throws the error of the task")
  func throwsError() async throws {
    struct Failure: Error {}
    let stepped = try await SteppedLoop()
    let scheduler = SteppedScheduler(on: stepped).scheduler
    let task = Task { try await scheduler.run { _ in throw Failure() } }
    do {
      try await stepped.value(of: task)
      Issue.record("value(of:) returned")
    } catch {
      #expect(error is Failure)
    }
    try stepped.close()
  }
}
