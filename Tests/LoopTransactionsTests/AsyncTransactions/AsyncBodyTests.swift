import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

private struct Failure: Error {}

private enum Request {
  @TaskLocal static var name = "none"
}

@Suite("Operations with async bodies: AsyncTransaction")
struct AsyncBodyTests {
  @Test("completions of async and synchronous bodies run in the order added, with outcomes")
  func outcomes() throws {  // O6, O13
    try withLoop { loop in
      let (trace, scheduler) = (Trace(), OperationScheduler.alone())
      let transaction = AsyncTransaction(on: loop, scheduler: scheduler)
      transaction.add { _ in
        await Task.yield()
        return 1
      } completion: {
        trace.record("\($0.value ?? 0)")
      }
      transaction.add { _ in
        2
      } completion: {
        trace.record("\($0.value ?? 0)")
      }
      transaction.add { _ -> Int in
        await Task.yield()
        throw Failure()
      } completion: {
        if case .failed(let error) = $0 { trace.record("\(error is Failure)") }
      }
      transaction.add { _ -> Int in
        await Task.yield()
        throw CancellationError()
      } completion: {
        if case .cancelled = $0 { trace.record("cancelled") }
      }
      transaction.commit()
      #expect(loop.runInTime() == .finished)
      #expect(trace.events == ["1", "2", "true", "cancelled"])
    }
  }

  // O5, O13
  @Test("a cancelled operation whose body is suspended completes without waiting for it")
  func cancelsSuspended() async throws {
    let (gate, flags, began) = (TaskGate(), Locked<[Bool]>([]), Gate())
    let done = Gate()
    try await onLoopThread { loop in
      let (trace, scheduler) = (Trace(), OperationScheduler.alone())
      let transaction = AsyncTransaction(on: loop, scheduler: scheduler)
      let operation = transaction.add { operation in
        began.open()
        await gate.wait()
        flags.withLock { $0 = [operation.isCancelled, Task.isCancelled] }
        done.open()
      } completion: {
        if case .cancelled = $0 { trace.record("cancelled") }
      }
      transaction.commit()
      #expect(began.waitInTime())
      #expect(!operation.cancel())
      #expect(loop.runInTime() == .finished)
      #expect(trace.events == ["cancelled"])
    }
    gate.open()
    await waitOff(done)
    #expect(flags.withLock { $0 } == [true, true])
  }

  @Test("a queued operation that is cancelled does not run, and frees its captures there")  // O5
  func cancelsQueued() throws {
    try withLoop { loop in
      let scheduler = OperationScheduler.alone(workers: 1)
      let frozen = FrozenWorkers(scheduler, 1)
      let (ran, released) = (Tally(), Tally())
      let transaction = AsyncTransaction(on: loop, scheduler: scheduler)
      let operation = {
        let witness = Witness { released.increment() }
        return transaction.add { _ in
          witness.touch()
          await Task.yield()
          ran.increment()
        }
      }()
      #expect(operation.cancel() && released.value == 1)
      transaction.commit()
      #expect(loop.runInTime() == .finished)
      frozen.thaw()
      #expect(ran.value == 0 && transaction.state == .complete)
    }
  }

  @Test("close() does not wait for a body that awaits an actor of the loop")  // O13, L11
  func closes() async throws {
    let done = Gate()
    let trace = Trace()
    try await onLoopThread { loop in
      let (pinned, scheduler, began) = (
        Pinned(on: loop.port), OperationScheduler.alone(), Gate()
      )
      let transaction = AsyncTransaction(on: loop, scheduler: scheduler)
      transaction.add { _ in
        began.open()
        // The loop never gets there before it closes.
        await pinned.increment()
        done.open()
      } completion: {
        if case .cancelled = $0 { trace.record("cancelled") }
      }
      transaction.commit()
      #expect(began.waitInTime())
    }
    await waitOff(done)
    #expect(trace.events == ["cancelled"])
  }

  // O12, O13
  @Test(
    "a complete transaction keeps neither operations nor tasks of async bodies",
    .enabled(if: Interposed.isAvailable)
  )
  func keepsNoItem() async {
    // In a separate process, because other tests allocate too.
    await #expect(processExitsWith: .success) {
      let (loop, scheduler) = (try EventLoop(), OperationScheduler.alone())
      func complete(_ count: Int) -> AsyncTransaction {
        let transaction = AsyncTransaction(on: loop, scheduler: scheduler)
        for _ in 0..<count { transaction.add { _ in await Task.yield() } }
        transaction.commit()
        loop.run()
        return transaction
      }
      _ = complete(2000)
      let before = Interposed.heapBytes
      let transaction = complete(2000)
      let growth = Interposed.heapBytes - before
      // An operation and its task are over 800 bytes.
      precondition(growth < 2000 * 250, "2,000 operations keep \(growth) bytes")
      #expect(transaction.state == .complete)
      try loop.close()
    }
  }

  @Test("waitUntilComplete traps while an async body has not ended")  // O9, O13
  func traps() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let loop = try EventLoop()
      let transaction = AsyncTransaction(on: loop, name: "page", scheduler: .alone())
      transaction.add("fetch") { _ in await TaskGate().wait() }
      transaction.waitUntilComplete()
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("operation fetch of page has an async body; await completion instead"))
  }

  // O13
  @Test(
    "an async body has the task-local values of the place that added it",
    arguments: [
      AsyncTransaction.Start.whenAdded, .onCommit,
    ]
  )
  func taskLocals(start: AsyncTransaction.Start) throws {
    try withLoop { loop in
      let scheduler = OperationScheduler.alone()
      let flights = SingleFlight<Int, String>(on: scheduler)
      let transaction = AsyncTransaction(on: loop, scheduler: scheduler, start: start)
      var values: [String?] = []
      Request.$name.withValue("A") {
        transaction.add { _ async in
          Request.name
        } completion: {
          values.append($0.value)
        }
        transaction.add {
          _ in
          await Task.yield()
          return Request.name
        } completion: {
          values.append($0.value)
        }
        if start == .whenAdded {
          transaction.add(flights, for: 1) { _ in
            Request.name
          } completion: {
            values.append($0.value)
          }
        }
      }
      transaction.commit()
      #expect(loop.runInTime() == .finished)
      #expect(values.allSatisfy { $0 == "A" } && values.count > 1, "\(values)")
    }
  }

  @Test("closures that are handed over in a task run outside of it, without its values")  // O13
  func handedOver() async throws {
    let running = try RunningLoop()
    let (notes, continuation) = AsyncStream.makeStream(of: String.self)
    await Request.$name.withValue("A") {
      await Giver(on: running.port).give(.alone()) { kind in
        let isInTask = withUnsafeCurrentTask { $0 != nil }
        continuation.yield("\(kind): \(Request.name)\(isInTask ? " in a task" : "")")
      }
    }
    let kinds = ["body", "completion", "operation", "post", "queue", "timer"]
    var seen: [String] = []
    for await note in notes.prefix(kinds.count) { seen.append(note) }
    #expect(seen.sorted() == kinds.map { "\($0): none" })
    running.stop()
  }

  // O9, O13
  @Test("waitUntilComplete traps although the async body has ended", arguments: [false, true])
  func trapsAfterEnd(isComplete: Bool) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [isComplete] in
      let loop = try EventLoop()
      let scheduler = OperationScheduler.alone()
      let transaction = AsyncTransaction(on: loop, name: "page", scheduler: scheduler)
      transaction.add("fetch") { _ async in 1 }
      if isComplete {
        transaction.commit()
        _ = loop.runInTime()
      }
      while scheduler.hasOperations { TestThread.yield() }
      transaction.waitUntilComplete()
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("operation fetch of page has an async body; await completion instead"))
  }

  // O9, O13
  @Test("waitUntilComplete returns after a cancel of the async bodies, whether they ended or not")
  func waitsAfterCancel() throws {
    try withLoop { loop in
      for cancelsAll in [false, true] {
        let transaction = AsyncTransaction(on: loop, scheduler: .alone())
        let operations = [
          transaction.add { _ in await TaskGate().wait() },
          transaction.add { _ async in },
        ]
        transaction.commit()
        if cancelsAll { transaction.cancel() } else { operations.forEach { $0.cancel() } }
        transaction.waitUntilComplete()
        #expect(transaction.state == .complete)
        transaction.cancel()
        transaction.waitUntilComplete()
      }
    }
  }

  @Test("the task of an async body has the operation's name")  // O13
  @available(macOS 26.0, *)
  func names() throws {
    try withLoop { loop in
      let transaction = AsyncTransaction(on: loop, scheduler: .alone())
      var name: String?
      transaction.add("fetch") { _ in
        await Task.yield()
        return Task.name
      } completion: {
        name = $0.value ?? nil
      }
      transaction.commit()
      #expect(loop.runInTime() == .finished)
      #expect(name == "fetch")
    }
  }

  @Test("the captures are released before the completion")  // O12, O13
  func releases() throws {
    try withLoop { loop in
      let trace = Trace()
      let transaction = AsyncTransaction(on: loop, scheduler: .alone())
      do {
        let witness = Witness { trace.record("released") }
        transaction.add { _ in
          await Task.yield()
          witness.touch()
        } completion: { _ in
          trace.record("completion")
        }
      }
      transaction.commit()
      #expect(loop.runInTime() == .finished)
      #expect(trace.events == ["released", "completion"])
    }
  }
}

/// An actor on a loop that hands closures over.
private actor Giver {
  private nonisolated let port: LoopPort
  nonisolated var unownedExecutor: UnownedSerialExecutor { port.asUnownedSerialExecutor() }

  init(on port: LoopPort) { self.port = port }

  func give(_ scheduler: OperationScheduler, _ note: @escaping @Sendable (String) -> Void) {
    guard let loop = EventLoop.current else { return }
    let transaction = AsyncTransaction(on: loop, scheduler: scheduler)
    transaction.add { _ in
      note("body")
    } completion: { _ in
      note("completion")
    }
    transaction.commit()
    scheduler.add { _ in note("operation") }
    SerialQueue("queue", on: scheduler).add { note("queue") }
    loop.post { note("post") }
    loop.addTimer(after: .zero) { _ in note("timer") }
  }
}
