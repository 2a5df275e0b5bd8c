import LoopTransactions
import LoopTransactionsTesting
import Testing

// C6, O6
@Suite("SteppedLoop: waiting for operations")
struct SteppedLoopWaitingTests {
  @Test("waitForOperations() returns after the completions of real workers")
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
      stepped.waitForOperations()
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
    stepped.waitForOperations()
    #expect(left == 0)
    try stepped.close()
  }

  @Test("without transactions it only runs the loop")
  func nothing() throws {
    let stepped = try SteppedLoop()
    let trace = stepped.trace
    stepped.loop.post { trace.record("post") }
    stepped.loop.addTimer(after: .seconds(1)) { _ in trace.record("timer") }
    stepped.waitForOperations()
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
    stepped.waitForOperations()
    #expect(transaction.state == .complete)
    #expect(start.duration(to: stepped.now) == .seconds(3))
    try stepped.close()
  }
}
