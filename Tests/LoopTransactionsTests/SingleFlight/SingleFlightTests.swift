@testable import LoopTransactions

import TestSupport
import Testing

@Suite("SingleFlight")
struct SingleFlightTests {
  // O10
  @Test("equal keys in flight share one run, one worker and the result")
  func shares() throws {
    try withLoop { loop in
      let scheduler = OperationScheduler.alone(workers: 1)
      let frozen = FrozenWorkers(scheduler, 1)
      let flights = SingleFlight<String, Int>(on: scheduler)
      let runs = Tally()
      var values: [Int?] = []
      for number in 0..<5 {
        let transaction = AsyncTransaction(on: loop, scheduler: scheduler)
        transaction.add(flights, for: number < 3 ? "a" : "b") { _ in
          runs.increment()
        } completion: {
          values.append($0.value)
        }
        transaction.commit()
      }
      #expect(flights.count == 2 && scheduler.metrics.queued == 2)
      frozen.thaw()
      #expect(loop.runInTime() == .finished)
      #expect(runs.value == 2)
      #expect(values == [1, 1, 1, 2, 2])
      #expect(flights.count == 0)
    }
  }

  // O5, O10
  @Test("an operation cancelled before it starts does not run, and completes once")
  func cancelledBeforeStart() throws {
    try withLoop { loop in
      let scheduler = OperationScheduler.alone()
      let flights = SingleFlight<Int, Int>(on: scheduler)
      let runs = Tally()
      var outcomes: [Int?] = []
      let transaction = AsyncTransaction(on: loop, scheduler: scheduler, start: .onCommit)
      let operation = transaction.add(flights, for: 1) { _ in
        runs.increment()
      } completion: {
        outcomes.append($0.value)
      }
      operation.cancel()
      transaction.commit()
      #expect(loop.runInTime() == .finished)
      #expect(runs.value == 0 && outcomes == [nil] && flights.count == 0)
      #expect(scheduler.metrics.added == 0)
    }
  }

  // O5, O10
  @Test("cancelling one of several waiters returns true if the shared operation had not begun")
  func cancelReturnsWhetherQueued() throws {
    try withLoop { loop in
      let scheduler = OperationScheduler.alone(workers: 1)
      let frozen = FrozenWorkers(scheduler, 1)
      let flights = SingleFlight<Int, Int>(on: scheduler)
      let transaction = AsyncTransaction(on: loop, scheduler: scheduler)
      let began = Gate()
      let goOn = Gate()
      let operations = (0..<3).map { _ in
        transaction.add(flights, for: 1) { _ in
          began.open()
          goOn.wait()
          return 1
        }
      }
      let queued = operations[0].cancel()
      let again = operations[0].cancel()
      #expect(queued && !again)
      frozen.thaw()
      #expect(began.waitInTime())
      let running = operations[1].cancel()
      #expect(!running)
      goOn.open()
      transaction.commit()
      #expect(loop.runInTime() == .finished)
      let ended = operations[2].cancel()
      #expect(!ended && flights.count == 0)
    }
  }

  // O10
  @Test("after a flight has ended, the next operation with its key runs again")
  func runsAnew() async throws {
    let flights = SingleFlight<Int, Int>(on: .alone())
    let runs = Tally()
    for expected in 1...3 {
      #expect(try await flights.value(for: 7) { _ in runs.increment() } == expected)
    }
  }

  // O10, O5
  @Test("cancelling one waiter leaves the others; cancelling the last one removes the operation")
  func cancels() throws {
    try withLoop { loop in
      let scheduler = OperationScheduler.alone(workers: 1)
      let frozen = FrozenWorkers(scheduler, 1)
      let flights = SingleFlight<Int, Int>(on: scheduler)
      var told: [String] = []
      let transactions = (0..<4).map { number in
        let transaction = AsyncTransaction(on: loop, scheduler: scheduler)
        transaction.add(flights, for: number / 2) { _ in
          5
        } completion: {
          told.append("\(number) \($0)")
        }
        transaction.commit()
        return transaction
      }
      transactions[0].cancel()
      #expect(scheduler.metrics.queued == 2)
      transactions[2].cancel()
      transactions[3].cancel()
      #expect(scheduler.metrics.queued == 1 && flights.count == 1)
      frozen.thaw()
      #expect(loop.runInTime() == .finished)
      #expect(told == ["0 cancelled", "2 cancelled", "3 cancelled", "1 value(5)"])
    }
  }

  // O10, O2, O9
  @Test("a flight has the highest priority of its waiters, and is boosted by a wait")
  func urgency() throws {
    try withLoop { loop in
      let scheduler = OperationScheduler.alone(workers: 1)
      let frozen = FrozenWorkers(scheduler, 1)
      let flights = SingleFlight<Int, Int>(on: scheduler)
      let log = Log()
      let transaction = AsyncTransaction(on: loop, scheduler: scheduler)
      scheduler.add { _ in log.add("normal") }
      transaction.add(flights, for: 1, priority: .background) { _ in
        log.add("flight")
        return 1
      }
      let second = transaction.add(flights, for: 1, priority: .low) { _ in 2 }
      #expect(second.setPriority(.high))
      transaction.commit()
      frozen.thaw()
      #expect(loop.runInTime() == .finished)
      let done = Gate()
      scheduler.add(priority: .background) { _ in done.open() }
      #expect(done.waitInTime())
      #expect(log.events == ["flight", "normal"])
      let held = FrozenWorkers(scheduler, 1)
      let awaited = AsyncTransaction(on: loop, scheduler: scheduler)
      let thread = System.thread
      var isHere: Bool?
      awaited.add(flights, for: 2) { _ in
        System.thread == thread ? 1 : 0
      } completion: {
        isHere = $0.value == 1
      }
      awaited.waitUntilComplete()
      #expect(isHere == true)
      held.thaw()
    }
  }

  // O10, O2
  @Test("joining with a higher priority raises the shared run to that priority")
  func joinRaises() throws {
    try withLoop { loop in
      let scheduler = OperationScheduler.alone(workers: 1)
      let frozen = FrozenWorkers(scheduler, 1)
      let flights = SingleFlight<Int, Int>(on: scheduler)
      let log = Log()
      let transaction = AsyncTransaction(on: loop, scheduler: scheduler)
      transaction.add(flights, for: 1, priority: .background) { _ in
        log.add("flight")
        return 1
      }
      // The aging slot takes the oldest operation every eighth time. The next
      // operation is taken by priority.
      scheduler.add { _ in log.add("normal") }
      transaction.add(flights, for: 1, priority: .high) { _ in 2 }
      transaction.commit()
      frozen.thaw()
      #expect(loop.runInTime() == .finished)
      let done = Gate()
      scheduler.add(priority: .background) { _ in done.open() }
      #expect(done.waitInTime())
      #expect(log.events == ["flight", "normal"])
    }
  }

  // O10, O2
  @Test("joining with a lower priority does not change the shared run's priority")
  func joinDoesNotLower() async throws {
    let scheduler = OperationScheduler.alone(workers: 1)
    let frozen = FrozenWorkers(scheduler, 1)
    let flights = SingleFlight<Int, Int>(on: scheduler)
    let log = Log()
    let first = Task {
      try await flights.value(for: 1, priority: .high) { _ in
        log.add("flight")
        return 1
      }
    }
    while scheduler.metrics.queued == 0 { await Task.yield() }
    let joined = Task { try await flights.value(for: 1, priority: .background) { _ in 2 } }
    while flights.waiters(of: 1) < 2 { await Task.yield() }
    scheduler.add { _ in log.add("normal") }
    frozen.thaw()
    #expect(try await [first.value, joined.value] == [1, 1])
    try await scheduler.run(priority: .background) { _ in }
    #expect(log.events == ["flight", "normal"])
  }

  // O10, O2
  @Test("a task that joins with a higher priority raises the shared run to that priority")
  func taskRaises() async throws {
    let scheduler = OperationScheduler.alone(workers: 1)
    let frozen = FrozenWorkers(scheduler, 1)
    let flights = SingleFlight<Int, Int>(on: scheduler)
    let log = Log()
    let first = Task {
      try await flights.value(for: 1, priority: .background) { _ in
        log.add("flight")
        return 1
      }
    }
    while scheduler.metrics.queued == 0 { await Task.yield() }
    scheduler.add { _ in log.add("normal") }
    let joined = Task { try await flights.value(for: 1, priority: .high) { _ in 2 } }
    while flights.waiters(of: 1) < 2 { await Task.yield() }
    frozen.thaw()
    #expect(try await [first.value, joined.value] == [1, 1])
    try await scheduler.run(priority: .background) { _ in }
    #expect(log.events == ["flight", "normal"])
  }

  @Test("cancelling a task removes its operation and throws immediately")  // O5, O10
  func taskCancels() async throws {
    let scheduler = OperationScheduler.alone(workers: 1)
    let frozen = FrozenWorkers(scheduler, 1)
    let flights = SingleFlight<Int, Int>(on: scheduler)
    let task = Task { try await flights.value(for: 1) { _ in 1 } }
    while flights.count == 0 { await Task.yield() }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(flights.count == 0 && scheduler.metrics.queued == 0)
    frozen.thaw()
  }

  // O5, O10
  @Test("a task that is cancelled while its operation starts has left its flight")
  func taskCancelsWhileStarting() async throws {
    let start = WorkerStart()
    let flights = SingleFlight<Int, Int>(on: start.scheduler())
    let (began, goOn, log) = (Gate(), Gate(), Log())
    start.action.withLock { action in
      action = { startWorker in
        startWorker()
        began.wait()
        withUnsafeCurrentTask { $0?.cancel() }
        log.add("flights: \(flights.count)")
      }
    }
    let old = Task {
      try await flights.value(for: 1) { operation in
        began.open()
        goOn.wait()
        return operation.isCancelled ? 1 : 0
      }
    }
    await #expect(throws: CancellationError.self) { try await old.value }
    let new = Task { try await flights.value(for: 1) { _ in 2 } }
    goOn.open()
    #expect(try await new.value == 2)
    #expect(log.events == ["flights: 0"])
  }

  // O5, O10
  @Test("cancel() is exact while the operation starts", arguments: [false, true])
  func cancelsWhileStarting(hasBegun: Bool) throws {
    try withLoop { loop in
      let start = WorkerStart()
      let scheduler = start.scheduler()
      let flights = SingleFlight<Int, Int>(on: scheduler)
      let (began, goOn, runs, log) = (Gate(), Gate(), Tally(), Log())
      let transaction = AsyncTransaction(on: loop, scheduler: scheduler, start: .onCommit)
      let operation = transaction.add(flights, for: 1) { _ in
        runs.increment()
        began.open()
        goOn.wait()
        return 1
      }
      start.action.withLock { action in
        action = { startWorker in
          if hasBegun { startWorker() }
          if hasBegun { began.wait() }
          log.add("\(operation.cancel()) \(flights.count)")
          if !hasBegun { startWorker() }
        }
      }
      transaction.commit()
      goOn.open()
      #expect(loop.runInTime() == .finished)
      while scheduler.hasOperations { TestThread.yield() }
      #expect(log.events == ["\(!hasBegun) 0"])
      #expect(runs.value == (hasBegun ? 1 : 0))
    }
  }

  // O10
  @Test("only a new highest priority moves the shared operation, in any order of waiters")
  func movesOnlyForHighest() throws {
    try withLoop { loop in
      let scheduler = OperationScheduler.alone(workers: 1)
      let frozen = FrozenWorkers(scheduler, 1)
      let flights = SingleFlight<Int, Int>(on: scheduler)
      let transaction = AsyncTransaction(on: loop, scheduler: scheduler)
      var ended: [Int] = []
      let operations = (0..<2000).map { number in
        transaction.add(flights, for: 1, priority: number % 2 == 0 ? .normal : .low) { _ in
          1
        } completion: {
          if $0.value != nil { ended.append(number) }
        }
      }
      #expect(scheduler.core.ask { $0.interventions } == 0)
      for number in operations.indices where number % 10 != 7 { operations[number].cancel() }
      #expect(flights.waiters(of: 1) == 200)
      // Moved once: the last waiter of normal priority has left.
      #expect(scheduler.core.ask { $0.interventions } == 1)
      frozen.thaw()
      transaction.commit()
      #expect(loop.runInTime() == .finished)
      #expect(ended == (0..<200).map { 10 * $0 + 7 })
    }
  }

  // O10
  @Test("the memory of many keys is not kept")
  func memory() throws {
    try withLoop { loop in
      let scheduler = OperationScheduler.alone(workers: 1)
      let frozen = FrozenWorkers(scheduler, 1)
      let flights = SingleFlight<Int, Int>(on: scheduler)
      let transaction = AsyncTransaction(on: loop, scheduler: scheduler)
      for key in 0..<10_000 { transaction.add(flights, for: key) { _ in key } }
      transaction.commit()
      frozen.thaw()
      #expect(loop.runInTime() == .finished)
      #expect(flights.count == 0 && flights.table.capacity == 0)
    }
  }

  // O9, O10
  @Test("a flight that waits for its waiting loop gets an error")
  func cycle() throws {
    try withLoop { loop in
      let port = loop.awaitedPort
      let flights = SingleFlight<Int, Int>(on: .alone())
      let transaction = AsyncTransaction(on: loop, name: "cards", scheduler: .alone())
      let began = Gate()
      var isFound = false
      transaction.add(flights, for: 1) { _ in
        began.open()
        return try port.postAndWait { 1 }
      } completion: { outcome in
        if case .failed(let error) = outcome { isFound = error is WaitCycleError }
      }
      #expect(began.waitInTime())
      transaction.waitUntilComplete()
      #expect(isFound)
    }
  }
}
