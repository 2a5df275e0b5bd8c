import LoopTransactions
import TestSupport
import Testing

@Suite("AsyncTransaction: cancelling")
struct AsyncTransactionCancelTests {
  // O5, O6
  @Test(
    "after cancel(), queued operations never run, running ones see it, and all are cancelled"
  )
  func cancel() throws {
    try withLoop { loop in
      let scheduler = OperationScheduler.alone(workers: 2)
      let transaction = AsyncTransaction(on: loop, scheduler: scheduler)
      let log = Log()
      let ended = Gate()
      let began = Gate()
      let goOn = Gate()
      transaction.add { _ in
        ended.open()
      } completion: {
        log.add("ended: \($0)")
      }
      #expect(ended.waitInTime())
      transaction.add { operation in
        began.open()
        goOn.wait()
        log.add("told: \(operation.isCancelled)")
      } completion: {
        log.add("running: \($0)")
      }
      #expect(began.waitInTime())
      let frozen = FrozenWorkers(scheduler, 1)
      transaction.add { _ in
        log.add("ran")
      } completion: {
        log.add("waiting: \($0)")
      }
      transaction.commit()
      transaction.cancel()
      #expect(transaction.state == .cancelled && transaction.isCancelled)
      #expect(scheduler.metrics.queued == 0)
      goOn.open()
      frozen.thaw()
      transaction.whenComplete { transaction in
        log.add("\(transaction.state)")
        transaction.cancel()
      }
      #expect(loop.runInTime() == .finished)
      #expect(
        log.events == [
          "told: true", "ended: cancelled", "running: cancelled", "waiting: cancelled", "complete",
        ]
      )
      transaction.cancel()
      #expect(transaction.state == .complete)
    }
  }

  // O6
  @Test("a cancel from a completion does not affect the remaining completions")
  func cancelFromCompletion() throws {
    try withLoop { loop in
      let transaction = AsyncTransaction(on: loop, scheduler: .alone())
      var outcomes: [Int?] = []
      for number in 0..<3 {
        transaction.add { _ in
          number
        } completion: { [unowned transaction] outcome in
          outcomes.append(outcome.value)
          transaction.cancel()
        }
      }
      transaction.commit()
      #expect(loop.runInTime() == .finished)
      #expect(outcomes == [0, 1, 2])
      #expect(!transaction.isCancelled)
    }
  }

  // O5
  @Test("cancelling one operation changes only its own outcome")
  func cancelOne() throws {
    try withLoop { loop in
      let scheduler = OperationScheduler.alone(workers: 1)
      let frozen = FrozenWorkers(scheduler, 1)
      let transaction = AsyncTransaction(on: loop, scheduler: scheduler)
      var outcomes: [Int?] = []
      let operations = (0..<3).map { number in
        transaction.add { _ in
          number
        } completion: {
          outcomes.append($0.value)
        }
      }
      TestThread.run { operations[1].cancel() }
      #expect(operations[1].isCancelled && !operations[0].isCancelled)
      transaction.commit()
      frozen.thaw()
      #expect(loop.runInTime() == .finished)
      #expect(outcomes == [0, nil, 2])
      #expect(!transaction.isCancelled)
    }
  }

  // O5
  @Test("cancelling an operation returns true once, and only if it had not begun")
  func cancelReturnsWhetherQueued() throws {
    try withLoop { loop in
      let scheduler = OperationScheduler.alone(workers: 1)
      let began = Gate()
      let goOn = Gate()
      let log = Log()
      let transaction = AsyncTransaction(on: loop, scheduler: scheduler)
      let running = transaction.add("running") { _ in
        began.open()
        goOn.wait()
      }
      let queued = transaction.add("queued") { _ in log.add("ran") }
      #expect(began.waitInTime())
      let cancelled = Locked<[Bool]>([])
      TestThread.run {
        let results = [queued.cancel(), queued.cancel(), running.cancel()]
        cancelled.withLock { $0 = results }
      }
      #expect(cancelled.withLock { $0 } == [true, false, false])
      goOn.open()
      let unstarted = AsyncTransaction(on: loop, scheduler: scheduler, start: .onCommit)
      let waiting = unstarted.add { _ in log.add("ran") }
      let first = waiting.cancel()
      let second = waiting.cancel()
      #expect(first && !second)
      transaction.commit()
      unstarted.commit()
      #expect(loop.runInTime() == .finished)
      let ended = [running.cancel(), queued.cancel(), waiting.cancel()]
      #expect(ended == [false, false, false] && log.events.isEmpty)
    }
  }

  // O5, O6
  @Test(
    "an operation cancelled while the workers are blocked never runs, and its outcome is cancelled"
  )
  func cancelledWhileHeld() throws {
    try withLoop { loop in
      let scheduler = OperationScheduler.alone(workers: 2)
      let frozen = FrozenWorkers(scheduler, 2)
      let log = Log()
      let transaction = AsyncTransaction(on: loop, scheduler: scheduler)
      transaction.add { _ in
        log.add("ran")
      } completion: {
        log.add("told \($0)")
      }
      transaction.commit()
      transaction.cancel()
      frozen.thaw()
      #expect(loop.runInTime() == .finished)
      // The last operation has the lowest priority, so it runs after any that
      // is still queued.
      let last = Gate()
      scheduler.add(priority: OperationPriority(-128)) { _ in last.open() }
      #expect(last.waitInTime())
      #expect(log.events == ["told cancelled"])
    }
  }
}
