import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("ExecutorHost: end of the host")
struct ExecutorHostEndTests {
  @Test("a host that has shut down makes posts fail, and loses nothing")  // C8, L2
  func refuses() throws {
    let (loop, queue, ran) = (try EventLoop(), QueueHost(), Tally())
    let port = loop.port
    _ = try ExecutorHost(loop, on: queue.executor())
    queue.runWaiting()
    TestThread.run {
      try? port.post { ran.increment() }
      queue.shutDown()
      // Accepted: a turn is pending.
      try? port.post { ran.increment() }
    }
    queue.runWaiting()
    #expect(ran.value == 2)
    let dropped = Tally()
    TestThread.run {
      for _ in 0..<3 {
        let witness = Witness { dropped.increment() }
        #expect(throws: LoopPort.PostError.closed) {
          try port.post {
            witness.touch()
            ran.increment()
          }
        }
      }
    }
    #expect(dropped.value == 3)
    // The loop's own thread may still hand over work, which close() performs.
    loop.commit { ran.increment() }
    try loop.close()
    #expect(ran.value == 3)
  }

  @Test("a host that drops a turn has ended, and close() performs the accepted posts")  // C8, L2
  func drops() throws {
    let (loop, queue, ran) = (try EventLoop(), QueueHost(), Tally())
    let port = loop.port
    _ = try ExecutorHost(loop, on: queue.executor())
    queue.runWaiting()
    TestThread.run {
      for _ in 0..<5 { try? port.post { ran.increment() } }
      queue.dropAll()
      #expect(throws: LoopPort.PostError.closed) { try port.post { ran.increment() } }
    }
    #expect(ran.value == 0)
    try loop.close()
    #expect(ran.value == 5)
  }

  @Test("a loop whose host has shut down accepts posts again after cancel()")  // C8, L7
  func cancelledAfterRefusal() throws {
    try withLoop { loop in
      let (port, queue, ran) = (loop.port, QueueHost(), Tally())
      let host = try ExecutorHost(loop, on: queue.executor())
      queue.runWaiting()
      queue.shutDown()
      TestThread.run {
        #expect(throws: LoopPort.PostError.closed) { try port.post { ran.increment() } }
      }
      host.cancel()
      TestThread.run { try? port.post { ran.increment() } }
      #expect(loop.run() == .finished)
      #expect(ran.value == 1)
      // The loop can block.
      let ticks = loop.metrics.ticks
      loop.addTimer(after: .milliseconds(20)) { _ in }
      loop.run()
      #expect(loop.metrics.ticks - ticks < 10)
    }
  }

  @Test("close() closes the loop on the host's thread, for every caller")  // C8, L11
  func closes() async throws {
    let (queue, ran, trace) = (QueueHost(), Tally(), Trace())
    let thread = TestThread { #expect(queue.run { trace.events.contains("over") }) }
    let host = try await ExecutorHost.make(on: queue.executor()) { loop in
      loop.commit { ran.increment() }
      trace.record("made")
    }
    for _ in 0..<10 { try host.port.post { ran.increment() } }
    async let other: Void = host.close()
    try await host.close()
    try await other
    try await host.close()
    #expect(ran.value == 11)
    #expect(throws: LoopPort.PostError.closed) { try host.port.post {} }
    trace.record("over")
    _ = queue.executor().execute {}
    thread.join()
  }

  @Test("after a close that failed the loop makes turns again, and can be closed")  // C8, L11
  func closeFails() async throws {
    let (queue, ran, trace) = (QueueHost(), Tally(), Trace())
    let held = Locked<Smuggled<ForeignHandle>?>(nil)
    let thread = TestThread { #expect(queue.run { trace.events.contains("over") }) }
    let host = try await ExecutorHost.make(on: queue.executor()) { loop in
      let handle = ForeignHandle(.timer, on: loop.libuvLoop) { _ in }
      held.withLock { $0 = Smuggled(handle) }
    }
    let error = await #expect(throws: UVError.self) { try await host.close() }
    #expect(error?.name == "EBUSY")
    let closed = Gate()
    try host.port.post {
      ran.increment()
      held.withLock { $0.take() }?.value.close { closed.open() }
    }
    #expect(closed.waitInTime())
    try await host.close()
    #expect(ran.value == 1)
    trace.record("over")
    _ = queue.executor().execute {}
    thread.join()
  }

  @Test("releasing a host that made its loop closes the loop")  // C8, L11
  func released() async throws {
    let (queue, ran, trace) = (QueueHost(), Tally(), Trace())
    let thread = TestThread { #expect(queue.run { trace.events.contains("over") }) }
    var host: ExecutorHost? = try await ExecutorHost.make(on: queue.executor())
    let port = host?.port
    try port?.post { ran.increment() }
    host = nil
    #expect(inTime { (try? port?.post {}) == nil })
    #expect(ran.value == 1)
    trace.record("over")
    _ = queue.executor().execute {}
    thread.join()
  }

  @Test("make throws if prepare throws, or if the host refuses or drops the creation")  // C8
  func makeFails() async throws {
    let queue = QueueHost()
    let thread = TestThread { #expect(queue.step()) }
    await #expect(throws: CancellationError.self) {
      try await ExecutorHost.make(on: queue.executor()) { _ in throw CancellationError() }
    }
    thread.join()
    await #expect(throws: LoopPort.PostError.closed) {
      try await ExecutorHost.make(on: HostExecutor { _ in true })
    }
    queue.shutDown()
    await #expect(throws: LoopPort.PostError.closed) {
      try await ExecutorHost.make(on: queue.executor())
    }
  }

  @Test("a made loop whose host shuts down is dropped with a report, and callers get an error")
  func dropsMadeLoop() async throws {  // C8, L2, L11
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let (queue, ran, released) = (QueueHost(), Tally(), Gate())
      let (isMade, isOver, isDone) = (Gate(), Gate(), Gate())
      let thread = TestThread {
        // The loop is made here, and is never closed.
        Interposed.forgiveLeaks()
        #expect(queue.step())
        isMade.wait()
        queue.runWaiting()
        isOver.open()
        // Exists until the end, so that no other thread has its identity.
        isDone.wait()
      }
      let host = try await ExecutorHost.make(on: queue.executor())
      isMade.open()
      isOver.wait()
      let port = host.port
      func post(_ witness: Witness) throws {
        try port.post {
          witness.touch()
          ran.increment()
        }
      }
      try post(Witness { released.open() })
      let caller = TestThread {
        #expect(throws: LoopPort.PostError.closed) { try port.postAndWait { ran.increment() } }
      }
      queue.shutDown()
      queue.dropAll()
      caller.join()
      #expect(released.waitInTime())
      await #expect(throws: LoopPort.PostError.closed) { try await host.close() }
      #expect(throws: LoopPort.PostError.closed) { try port.post {} }
      #expect(ran.value == 0)
      isDone.open()
      thread.join()
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("ExecutorHost: the host has shut down, so its loop is dropped"))
  }
}
