import LoopTransactions
import TestSupport
import Testing

private struct Failure: Error, Equatable {}

@Suite("AsyncTransaction")
struct AsyncTransactionTests {
  // O6
  @Test("completions run together in the order added, even if operations end in reverse")
  func inOrder() throws {
    try withLoop { loop in
      let scheduler = OperationScheduler.alone(workers: 3)
      let transaction = AsyncTransaction(on: loop, scheduler: scheduler)
      let log = Log()
      let gates = (0..<3).map { _ in Gate() }
      for number in 0..<3 {
        transaction.add { _ in
          gates[number].wait()
          log.add("ran \(number)")
          if number > 0 { gates[number - 1].open() }
          return number * 10
        } completion: { outcome in
          log.add("\(outcome.value ?? -1)")
        }
      }
      transaction.whenComplete { log.add("\($0.state)") }
      transaction.commit()
      #expect(transaction.state == .committed)
      gates[2].open()
      #expect(loop.runInTime() == .finished)
      #expect(log.events == ["ran 2", "ran 1", "ran 0", "0", "10", "20", "complete"])
    }
  }

  // O6
  @Test("no completion runs before the commit, and all run on the loop")
  func notBeforeCommit() throws {
    try withLoop { loop in
      let scheduler = OperationScheduler.alone()
      let transaction = AsyncTransaction(on: loop, scheduler: scheduler)
      let ran = Gate()
      let log = Log()
      let thread = System.thread
      transaction.add { _ in
        ran.open()
      } completion: { _ in
        log.add(System.thread == thread ? "here" : "elsewhere")
      }
      #expect(ran.waitInTime())
      for _ in 0..<10 { loop.run(.noWait) }
      #expect(log.events == [] && transaction.state == .open)
      transaction.commit()
      #expect(log.events == [])
      #expect(loop.runInTime() == .finished)
      #expect(log.events == ["here"])
    }
  }

  // O6
  @Test("operations that start on commit do not start earlier")
  func startOnCommit() throws {
    try withLoop { loop in
      let scheduler = OperationScheduler.alone(workers: 1)
      let transaction = AsyncTransaction(on: loop, scheduler: scheduler, start: .onCommit)
      let log = Log()
      let first = transaction.add { _ in log.add("first") }
      transaction.add(priority: .low) { _ in log.add("second") }
      // The operation is not queued yet. It gets this priority when it is
      // queued.
      #expect(first.setPriority(.background))
      #expect(scheduler.metrics.added == 0)
      let frozen = FrozenWorkers(scheduler, 1)
      transaction.commit()
      #expect(scheduler.metrics.added == 3)
      frozen.thaw()
      #expect(loop.runInTime() == .finished)
      #expect(log.events == ["second", "first"])
    }
  }

  // O6
  @Test("operations on blocked workers complete once each, after the workers resume")
  func heldThenToldOnce() throws {
    try withLoop { loop in
      let scheduler = OperationScheduler.alone(workers: 2)
      let frozen = FrozenWorkers(scheduler, 2)
      let log = Log()
      let transaction = AsyncTransaction(on: loop, scheduler: scheduler)
      transaction.add { _ in
        log.add("ran")
        return 3
      } completion: {
        log.add("told \($0)")
      }
      transaction.commit()
      for _ in 0..<20 { loop.run(.noWait) }
      #expect(log.events == [] && transaction.state == .committed)
      frozen.thaw()
      #expect(loop.runInTime() == .finished)
      for _ in 0..<20 { loop.run(.noWait) }
      #expect(log.events == ["ran", "told value(3)"])
    }
  }

  // O6
  @Test("an error is an outcome, and does not affect other operations' outcomes")
  func failure() throws {
    try withLoop { loop in
      let transaction = AsyncTransaction(on: loop, scheduler: .alone())
      var outcomes: [String] = []
      transaction.add { _ -> Int in
        throw Failure()
      } completion: { outcome in
        if case .failed(let error) = outcome { outcomes.append("\(error)") }
        #expect(throws: Failure.self) { try outcome.get() }
      }
      transaction.add { _ -> Int in
        throw CancellationError()
      } completion: { outcome in
        if case .cancelled = outcome { outcomes.append("cancelled") }
        #expect(throws: CancellationError.self) { try outcome.get() }
      }
      transaction.add { _ in
        7
      } completion: {
        outcomes.append("\($0.value ?? 0)")
      }
      transaction.commit()
      #expect(loop.runInTime() == .finished)
      #expect(outcomes == ["Failure()", "cancelled", "7"])
    }
  }

  // O6
  @Test("an empty commit completes, but not inside commit()")
  func empty() throws {
    try withLoop { loop in
      let transaction = AsyncTransaction(on: loop)
      var events: [String] = []
      transaction.whenComplete { _ in events.append("complete") }
      transaction.commit()
      events.append("committed")
      #expect(loop.runInTime() == .finished)
      #expect(events == ["committed", "complete"])
      #expect(transaction.state == .complete)
    }
  }

  // O12
  @Test("a body is released on its worker before any completion, and a completion on the loop")
  func releases() throws {
    try withLoop { loop in
      let log = Log()
      let loopThread = System.thread
      let place: @Sendable () -> String = { System.thread == loopThread ? "loop" : "worker" }
      let scheduler = OperationScheduler.alone()
      // Block the workers until this thread has released its references.
      let frozen = FrozenWorkers(scheduler, 2)
      let transaction = AsyncTransaction(on: loop, scheduler: scheduler)
      do {
        let held = Witness { log.add("body on \(place())") }
        let told = Witness { log.add("completion on \(place())") }
        transaction.add { _ in
          held.touch()
        } completion: { _ in
          told.touch()
          log.add("completed")
        }
      }
      frozen.thaw()
      transaction.commit()
      #expect(loop.runInTime() == .finished)
      #expect(log.events == ["body on worker", "completed", "completion on loop"])
    }
  }

  // O6
  @Test("a committed transaction is retained until it completes, and no longer")
  func lifetime() throws {
    try withLoop { loop in
      weak var kept: AsyncTransaction?
      let goOn = Gate()
      do {
        let transaction = AsyncTransaction(on: loop, scheduler: .alone())
        transaction.add { _ in
          goOn.wait()
        } completion: { _ in
        }
        transaction.whenComplete { _ in }
        transaction.commit()
        kept = transaction
      }
      loop.run(.noWait)
      #expect(kept != nil)
      goOn.open()
      #expect(loop.runInTime() == .finished)
      #expect(kept == nil)
    }
  }

  // O8
  @Test("the completions of many transactions reach a loop with one wake")
  func oneWake() throws {
    try withLoop { loop in
      let scheduler = OperationScheduler.alone(workers: 1)
      let frozen = FrozenWorkers(scheduler, 1)
      var completed = 0
      for _ in 0..<1000 {
        let transaction = AsyncTransaction(on: loop, scheduler: scheduler)
        transaction.add { _ in
        } completion: { _ in
          completed += 1
        }
        transaction.commit()
      }
      let before = loop.metrics.wakesSent
      // This post keeps the loop busy until all operations have ended.
      try loop.awaitedPort.post {
        frozen.thaw()
        while scheduler.metrics.queued + scheduler.metrics.running > 0 { TestThread.yield() }
      }
      #expect(loop.runInTime() == .finished)
      #expect(completed == 1000)
      #expect(loop.metrics.wakesSent - before <= 1)
    }
  }

  // O8, L9
  @Test("completions count towards the tick's budget")
  func budget() throws {
    try withLoop { loop in
      loop.budget = EventLoop.Budget(count: 10)
      let scheduler = OperationScheduler.alone(workers: 1)
      var ticks: [UInt64: Int] = [:]
      let ended = Gate()
      for _ in 0..<40 {
        let transaction = AsyncTransaction(on: loop, scheduler: scheduler)
        transaction.add { _ in
          ended.open()
        } completion: { _ in
          ticks[loop.metrics.ticks, default: 0] += 1
        }
        transaction.commit()
      }
      for _ in 0..<40 { #expect(ended.waitInTime()) }
      #expect(loop.runInTime() == .finished)
      #expect(ticks.values.reduce(0, +) == 40)
      #expect(ticks.count >= 4)
    }
  }
}
