import LoopTransactions
import TestSupport
import Testing

@Suite("Wait cycles between loops and operations")
struct WaitCycleTests {
  @Test("if two loops call each other, one call throws an error that names both, the other returns")
  func twoLoops() throws {  // O9
    let (first, second) = (try RunningLoop(), try RunningLoop())
    let (met, done, answers) = (Gate(), Gate(), Tally())
    let found = Locked<[WaitCycleError]>([])
    let threads = Locked<[String]>([])
    for (own, other) in [(first.port, second.port), (second.port, first.port)] {
      try own.post {
        threads.withLock { $0.append(System.threadName) }
        met.open()
        while threads.withLock({ $0.count }) < 2 { TestThread.yield() }
        do {
          answers.add(try other.postAndWait { 1 })
        } catch {
          if let cycle = error as? WaitCycleError { found.withLock { $0.append(cycle) } }
        }
        done.open()
      }
    }
    try #require(done.waitInTime(2))
    first.stop()
    second.stop()
    let cycle = try #require(found.withLock { $0 }.first)
    #expect(found.withLock { $0.count } == 1 && answers.value == 1)
    let names = threads.withLock { $0 }
    #expect(Set([cycle.caller, cycle.obstacle]) == Set(names.map { .loop($0) }))
    for name in names { #expect(cycle.description.contains("the loop of thread '\(name)'")) }
  }

  @Test("a closure that is called for another loop's callback cannot wait for that loop")  // O9
  func calledBack() throws {
    let (first, second) = (try RunningLoop(), try RunningLoop())
    let (done, found) = (Gate(), Locked<WaitCycleError?>(nil))
    let names = Locked<[String]>([])
    try first.port.post {
      names.withLock { $0.append(System.threadName) }
      let inner: @Sendable () throws -> Void = { try first.port.postAndWait {} }
      do {
        try second.port.postAndWait {
          names.withLock { $0.append(System.threadName) }
          try inner()
        }
      } catch { found.withLock { $0 = error as? WaitCycleError } }
      done.open()
    }
    try #require(done.waitInTime())
    first.stop()
    second.stop()
    let cycle = try #require(found.withLock { $0 })
    let name = names.withLock { $0 }
    #expect(cycle.obstacle == .loop(name[0]))
    #expect(cycle.caller == .loop(name[1]))
  }

  @Test(
    "a call throws if its closure waits for a loop that waits for the calling operation",
    arguments: [true, false]
  )  // O9
  func byAnotherLoop(loopHelps: Bool) throws {
    try withLoop { loop in
      let (port, other) = (loop.port, try RunningLoop())
      let scheduler = OperationScheduler.alone(workers: 1)
      let frozen = loopHelps ? FrozenWorkers(scheduler, 1) : nil
      let transaction = AsyncTransaction(on: loop, name: "cards", scheduler: scheduler)
      let began = Gate()
      var found: WaitCycleError?
      transaction.add("decode") { _ in
        began.open()
        try other.port.postAndWait { try port.postAndWait {} }
      } completion: { outcome in
        if case .failed(let error) = outcome { found = error as? WaitCycleError }
      }
      if !loopHelps { #expect(began.waitInTime()) }
      transaction.waitUntilComplete()
      frozen?.thaw()
      other.stop()
      #expect(
        found == WaitCycleError(caller: .operation("decode"), obstacle: .transaction("cards"))
      )
    }
  }

  @Test("a loop's callback cannot wait for a loop whose operation waits for the first loop")  // O9
  func operationWaitsOnCaller() throws {
    try withLoop { loop in
      let (port, other) = (loop.port, try RunningLoop())
      let transaction = AsyncTransaction(on: loop, name: "cards", scheduler: .alone())
      let (began, found) = (Gate(), Locked<WaitCycleError?>(nil))
      let name = Locked("")
      try other.port.post {
        name.withLock { $0 = System.threadName }
        began.open()
        // By now the operation waits for this thread's loop, and the other loop
        // for the operation.
        while WaitTable.shared.callCount(other.port) == 0 || !WaitTable.shared.isAwaiting(port) {
          TestThread.yield()
        }
        do {
          try port.postAndWait {}
        } catch { found.withLock { $0 = error as? WaitCycleError } }
      }
      #expect(began.waitInTime())
      var outcome: Int?
      let onWorker = Gate()
      transaction.add { _ in
        onWorker.open()
        return try other.port.postAndWait { 5 }
      } completion: {
        outcome = $0.value
      }
      #expect(onWorker.waitInTime())
      transaction.waitUntilComplete()
      other.stop()
      #expect(outcome == 5)
      #expect(found.withLock { $0 }?.obstacle == .transaction("cards"))
      #expect(found.withLock { $0 }?.caller == .loop(name.withLock { $0 }))
    }
  }

  @Test("the error names a task with a name, and an operation by the task that awaits it")  // O9
  @available(macOS 26.0, *)
  func namesTask() async throws {
    let (first, second) = (try RunningLoop(), try RunningLoop())
    let (one, two) = (first.port, second.port)
    let thread = try await one.run { _ in System.threadName }
    let task = Task(name: "sync", executorPreference: one) {
      try two.postAndWait { try one.postAndWait {} }
    }
    let byTask = await #expect(throws: WaitCycleError.self) { try await task.value }
    #expect(byTask?.obstacle == .task("sync", thread: thread))
    #expect(byTask?.description.contains("task 'sync' on thread '\(thread)'") == true)
    let scheduler = OperationScheduler.alone()
    let awaiting = Task(name: "load") {
      try await scheduler.run { _ in
        try one.postAndWait { try two.postAndWait { try one.postAndWait {} } }
      }
    }
    let byOperation = await #expect(throws: WaitCycleError.self) { try await awaiting.value }
    #expect(byOperation?.obstacle == .operation("load"))
    first.stop()
    second.stop()
  }

  @Test("while one loop of a thread waits, all loops of that thread count as waiting")  // O9
  func loopsOfOneThread() throws {
    let other = try RunningLoop()
    let (found, name) = (Locked<WaitCycleError?>(nil), Locked(""))
    // A thread without a task, because the error names the task of a test.
    TestThread.run {
      name.withLock { $0 = System.threadName }
      try? withLoop { loop in
        try withLoop { sibling in
          let port = sibling.port
          loop.commit {
            do {
              try other.port.postAndWait { try port.postAndWait {} }
            } catch { found.withLock { $0 = error as? WaitCycleError } }
          }
          loop.run(.noWait)
        }
      }
    }
    other.stop()
    #expect(found.withLock { $0 }?.obstacle == .loop(name.withLock { $0 }))
  }

  @Test("a worker that helps apply() cannot wait for the loop that called apply()")  // O9
  func apply() async {
    await #expect(processExitsWith: .success) {
      Process.endInTime()
      try withLoop { loop in
        let (port, thread) = (loop.port, System.thread)
        let (began, found) = (Gate(), Locked<WaitCycleError?>(nil))
        OperationScheduler.alone(workers: 1).apply(2) { _ in
          guard System.thread != thread else { return began.wait() }
          began.open()
          do {
            try port.postAndWait {}
          } catch { found.withLock { $0 = error as? WaitCycleError } }
        }
        #expect(found.withLock { $0 }?.obstacle == .loop(System.threadName))
      }
    }
  }

  @Test("an answered call blocks no other call, even before its caller resumes")  // O9
  func answered() throws {
    let (first, second) = (try RunningLoop(), try RunningLoop())
    let (done, cycles) = (Gate(), Tally())
    for _ in 0..<500 {
      try first.port.post {
        try? second.port.postAndWait {
          // This post runs after the answer, so the other loop is free to
          // answer its call.
          try? second.port.post {
            do { try first.port.postAndWait {} } catch { cycles.increment() }
            done.open()
          }
        }
      }
      try #require(done.waitInTime())
    }
    first.stop()
    second.stop()
    #expect(cycles.value == 0)
  }

  @Test(
    "a callback cannot wait for a loop that joins the callback's thread",
    arguments: [true, false]
  )  // O9, G1
  func joined(callsFirst: Bool) async {
    await #expect(processExitsWith: .success) { [callsFirst] in
      Process.endInTime()
      let (loop, thread) = (try RunningLoop(), try LoopThread(name: "joined"))
      let (busy, joins, done) = (Gate(), Gate(), Gate())
      let (found, name) = (Locked<WaitCycleError?>(nil), Locked(""))
      try thread.port.post {
        // Called while the loop is busy, which would answer the call otherwise.
        (callsFirst ? busy : joins).wait()
        do {
          try loop.port.postAndWait {}
        } catch { found.withLock { $0 = error as? WaitCycleError } }
      }
      try loop.port.post {
        name.withLock { $0 = System.threadName }
        busy.open()
        while callsFirst, WaitTable.shared.callCount(loop.port) == 0 { TestThread.yield() }
        joins.open()
        thread.stop()
        try? thread.join()
        done.open()
      }
      done.wait()
      loop.stop()
      let cycle = try #require(found.withLock { $0 })
      #expect(cycle.obstacle == .loop(name.withLock { $0 }))
    }
  }

  @Test("a callback cannot wait for a loop that shuts down the callback's group")  // O9, G2
  func shutDown() async {
    await #expect(processExitsWith: .success) {
      Process.endInTime()
      let (loop, group) = (try RunningLoop(), try LoopGroup(name: "ended", count: 3))
      let (busy, done, cycles) = (Gate(), Gate(), Tally())
      // Before the calls, which the loop would answer otherwise.
      try loop.port.post {
        busy.open()
        while WaitTable.shared.callCount(loop.port) < 2 { TestThread.yield() }
        try? group.shutDown()
        done.open()
      }
      busy.wait()
      // Two callbacks wait for the loop. A third waits for one of them.
      let threads = group.threads
      try threads[0].port.post {
        do { try threads[2].port.postAndWait {} } catch {}
      }
      for thread in threads.dropFirst() {
        try thread.port.post {
          do {
            try loop.port.postAndWait {}
          } catch is WaitCycleError { cycles.increment() } catch {}
        }
      }
      done.wait()
      loop.stop()
      #expect(cycles.value == 2)
    }
  }

  @Test("two loops that join each other's threads trap instead of waiting")  // O9, G1
  func joinEachOther() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      Process.endInTime()
      let (first, second) = (try LoopThread(name: "first"), try LoopThread(name: "second"))
      try first.port.post { try? second.join() }
      try second.port.post { try? first.join() }
      Gate().wait()
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("waits for itself"))
  }

  @Test("a join of a thread that has ended blocks no call")  // O9, G1
  func joinedAfterEnd() throws {
    // The next thread often reuses the identity of an ended thread.
    let (loop, cycles) = (try RunningLoop(), Tally())
    for _ in 0..<200 {
      let thread = try LoopThread(name: "ended")
      thread.stop()
      let done = Gate()
      try loop.port.post {
        try? thread.join()
        done.open()
      }
      let caller = TestThread {
        do { try loop.port.postAndWait {} } catch { cycles.increment() }
      }
      try #require(done.waitInTime())
      caller.join()
    }
    loop.stop()
    #expect(cycles.value == 0)
  }
}
