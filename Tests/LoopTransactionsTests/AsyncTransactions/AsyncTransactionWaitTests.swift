import LoopTransactions
import TestSupport
import Testing

@Suite("AsyncTransaction: waiting")
struct AsyncTransactionWaitTests {
  @Test("the wait of a boosted operation is counted at the highest priority")  // O9, X1
  func liftedWaits() throws {
    try withLoop { loop in
      let scheduler = OperationScheduler.alone(workers: 1)
      scheduler.measuresWaits = true
      let frozen = FrozenWorkers(scheduler, 1)
      let done = Gate()
      scheduler.add(priority: OperationPriority(127)) { _ in done.open() }
      let transaction = AsyncTransaction(on: loop, scheduler: scheduler)
      transaction.add { _ in }
      transaction.waitUntilComplete()
      frozen.thaw()
      #expect(done.waitInTime())
      #expect(scheduler.metrics.waits.first?.count == 2)
    }
  }

  // O9
  @Test(
    "a wait commits, runs queued operations itself, and completes once, inside the call"
  )
  func helps() throws {
    try withLoop { loop in
      let scheduler = OperationScheduler.alone(workers: 1)
      let frozen = FrozenWorkers(scheduler, 1)
      let transaction = AsyncTransaction(on: loop, scheduler: scheduler)
      let thread = System.thread
      var outcomes: [Bool?] = []
      for _ in 0..<3 {
        transaction.add { _ in
          System.thread == thread
        } completion: {
          outcomes.append($0.value)
        }
      }
      var completed = 0
      transaction.whenComplete { _ in completed += 1 }
      transaction.waitUntilComplete()
      #expect(transaction.state == .complete)
      #expect(outcomes == [true, true, true])
      transaction.waitUntilComplete()
      frozen.thaw()
      #expect(loop.runInTime() == .finished)
      #expect(completed == 1)
    }
  }

  // O9
  @Test("awaited operations run before all others that wait for a worker")
  func lifts() throws {
    try withLoop { loop in
      let scheduler = OperationScheduler.alone(workers: 1)
      let frozen = FrozenWorkers(scheduler, 1)
      let log = Log()
      scheduler.add(priority: OperationPriority(127)) { _ in log.add("urgent") }
      let transaction = AsyncTransaction(on: loop, scheduler: scheduler)
      let began = Gate()
      // This thread runs the first operation, which lets the worker take the
      // second.
      transaction.add(priority: .background) { _ in
        frozen.thaw()
        _ = began.waitInTime()
      }
      transaction.add(priority: .background) { _ in
        log.add("awaited")
        began.open()
      }
      transaction.waitUntilComplete()
      let done = Gate()
      scheduler.add(priority: OperationPriority(-128)) { _ in done.open() }
      #expect(done.waitInTime())
      #expect(log.events == ["awaited", "urgent"])
    }
  }

  @Test("a wait blocks until operations running on workers have ended")  // O9
  func sleeps() throws {
    try withLoop { loop in
      let scheduler = OperationScheduler.alone(workers: 1)
      let began = Gate()
      let goOn = Gate()
      let transaction = AsyncTransaction(on: loop, scheduler: scheduler)
      var value: Int?
      transaction.add { _ in
        began.open()
        goOn.wait()
        return 5
      } completion: {
        value = $0.value
      }
      #expect(began.waitInTime())
      let thread = TestThread { goOn.open() }
      transaction.waitUntilComplete()
      thread.join()
      #expect(value == 5)
    }
  }

  // O9
  @Test("a wait completes an empty transaction, and delivers cancelled outcomes after a cancel")
  func emptyAndCancelled() throws {
    try withLoop { loop in
      let empty = AsyncTransaction(on: loop)
      empty.waitUntilComplete()
      #expect(empty.state == .complete)
      let scheduler = OperationScheduler.alone(workers: 1)
      let frozen = FrozenWorkers(scheduler, 1)
      let cancelled = AsyncTransaction(on: loop, scheduler: scheduler)
      var told: [String] = []
      cancelled.add { _ in
        1
      } completion: {
        told.append("\($0)")
      }
      cancelled.commit()
      cancelled.cancel()
      cancelled.waitUntilComplete()
      #expect(told == ["cancelled"])
      frozen.thaw()
    }
  }

  // O9
  @Test("an operation that waits for its waiting loop gets an error that names both")
  func cycle() throws {
    try withLoop { loop in
      let port = loop.awaitedPort
      let transaction = AsyncTransaction(on: loop, name: "cards", scheduler: .alone())
      let began = Gate()
      var found: WaitCycleError?
      transaction.add("decode") { _ in
        began.open()
        try port.postAndWait {}
      } completion: { outcome in
        if case .failed(let error) = outcome { found = error as? WaitCycleError }
      }
      // The operation may begin its wait before or after this thread does. It
      // gets the error in both cases.
      #expect(began.waitInTime())
      transaction.waitUntilComplete()
      #expect(found?.caller == .operation("decode"))
      #expect(found?.obstacle == .transaction("cards"))
      #expect(found?.description.contains("'decode'") == true)
    }
  }

  // O9
  @Test("a wait cycle is detected by whichever side waits last", arguments: [true, false])
  func cycleEitherWay(loopIsFirst: Bool) throws {
    try withLoop { loop in
      let port = loop.awaitedPort
      let transaction = AsyncTransaction(on: loop, name: "cards", scheduler: .alone())
      let began = Gate()
      let goOn = Gate()
      var isFound = false
      transaction.add("decode") { _ in
        began.open()
        goOn.wait()
        try port.postAndWait {}
      } completion: { outcome in
        if case .failed(let error) = outcome { isFound = error is WaitCycleError }
      }
      // Wait until a worker has begun the operation. Otherwise this thread
      // would run it.
      #expect(began.waitInTime())
      if loopIsFirst {
        let thread = TestThread {
          while !WaitTable.shared.isAwaiting(port) { TestThread.yield() }
          goOn.open()
        }
        transaction.waitUntilComplete()
        thread.join()
      } else {
        goOn.open()
        while WaitTable.shared.callCount(port) == 0 { TestThread.yield() }
        transaction.waitUntilComplete()
      }
      #expect(isFound)
    }
  }

  // O9
  @Test("a wait cycle through a second loop is detected")
  func longCycle() throws {
    try withLoop { loop in
      let port = loop.awaitedPort
      let ready = Gate()
      let other = Locked<LoopPort?>(nil)
      let found = Tally()
      let thread = TestThread {
        guard let second = try? EventLoop() else { return }
        other.withLock { $0 = second.awaitedPort }
        let inner = AsyncTransaction(on: second, name: "inner", scheduler: .alone())
        inner.add("to the first") { _ in
          try port.postAndWait {}
        } completion: { outcome in
          if case .failed(let error) = outcome, error is WaitCycleError { found.increment() }
        }
        ready.open()
        inner.waitUntilComplete()
        other.withLock { $0 = nil }
        second.run()
        try? second.close()
        port.stop()
      }
      #expect(ready.waitInTime())
      let outer = AsyncTransaction(on: loop, name: "outer", scheduler: .alone())
      outer.add("to the second") { _ in
        try other.withLock { $0 }?.postAndWait {}
      } completion: { outcome in
        if case .failed(let error) = outcome, error is WaitCycleError { found.increment() }
      }
      outer.waitUntilComplete()
      // One of the two waits throws, which allows the other one to succeed.
      #expect(loop.runInTime() == .stopped)
      thread.join()
      #expect(found.value == 1)
    }
  }

  @Test("postAndWait returns the closure's result on the loop, and rethrows its error")
  func postAndWait() throws {
    try withLoop { loop in
      let port = loop.awaitedPort
      let thread = System.thread
      let values = Locked<[Bool]>([])
      let other = TestThread {
        let value = try? port.postAndWait { System.thread == thread }
        values.withLock { $0.append(value == true) }
        do {
          try port.postAndWait { throw CancellationError() }
        } catch {
          values.withLock { $0.append(error is CancellationError) }
        }
        port.stop()
      }
      #expect(loop.runInTime() == .stopped)
      other.join()
      #expect(values.withLock { $0 } == [true, true])
      try loop.close()
      let refused = Locked(false)
      TestThread.run {
        do { try port.postAndWait {} } catch {
          refused.withLock { $0 = error as? LoopPort.PostError == .closed }
        }
      }
      #expect(refused.withLock { $0 })
    }
  }
}
