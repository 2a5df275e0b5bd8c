import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

private func record(_ trace: UnsafeMutableRawPointer?) {
  guard let trace else { return }
  Unmanaged<Trace>.fromOpaque(trace).takeUnretainedValue().record("function")
}

private func nothing(_: UnsafeMutableRawPointer?) {}

@Suite("LoopPort")
struct LoopPortTests {
  @Test("a post wakes a loop that waits for nothing else", arguments: WakeMethod.allCases)
  func wakes(method: WakeMethod) throws {  // L6
    try withLoop(method) { loop in
      let port = loop.awaitedPort
      for _ in 0..<100 {
        var thread: TestThread?
        loop.addObserver(for: .beforeWaiting, repeats: false) { _ in
          thread = TestThread { try? port.post { port.stop() } }
        }
        #expect(loop.runInTime() == .stopped)
        thread?.join()
      }
    }
  }

  @Test("a commit from another thread is performed by a loop that waits for nothing else")
  func commits() throws {  // L6, T6
    try withLoop { loop in
      let port = loop.awaitedPort
      let action = SharedAction { port.stop() }
      var thread: TestThread?
      loop.addObserver(for: .beforeWaiting, repeats: false) { _ in
        thread = TestThread { try? port.commit(action, SharedAction.perform) }
      }
      #expect(loop.runInTime() == .stopped)
      thread?.join()
    }
  }

  @Test(
    "a burst of 1,000 posts to a sleeping loop is one kernel write",
    arguments: WakeMethod.allCases
  )
  func oneWrite(method: WakeMethod) throws {  // L6
    try withLoop(method) { loop in
      // This process may lose the processor for longer than the default budget.
      loop.budget = .unlimited
      let port = loop.awaitedPort
      let (ran, writes) = (Tally(), Trace())
      // The loop still counts as asleep in the poll's callbacks, because a poll
      // that blocks may follow them.
      let poll = ForeignHandle(.poll, on: loop.libuvLoop) { _ in
        TestThread.run {
          let before = Interposed.writes
          for _ in 0..<1000 { try? port.post { ran.increment() } }
          writes.record("\(Interposed.writes - before)")
        }
      }
      poll.start().send()
      loop.run(.once)
      poll.close()
      #expect(loop.metrics.wakesSent == 1)
      if Interposed.isAvailable { #expect(writes.events == ["1"]) }
      loop.run(.noWait)
      #expect(ran.value == 1000)
      #expect(loop.metrics.wakesReceived == 1)
    }
  }

  @Test(
    "every wake for a post except the first costs one write and no read",
    .enabled(if: Interposed.isAvailable)
  )  // L6
  func noRead() throws {
    try withLoop(.descriptor) { loop in
      let (port, trace) = (loop.awaitedPort, Trace())
      for _ in 0..<3 {
        // The loop counts as asleep just before it blocks.
        Interposed.beforeBlocking({ _ in
          TestThread.run {
            let before = Interposed.writes
            try? port.post {}
            trace.record("\(Interposed.writes - before)")
          }
        }) {
          let before = Interposed.reads
          loop.run(.once)
          trace.record("\(Interposed.reads - before)")
        }
      }
      #expect(trace.events == ["1", "1", "1", "0", "1", "0"])
      #expect(loop.metrics.wakesNeeded == 3)
    }
  }

  @Test("posts to a loop that is awake, after it slept, write nothing")  // L6
  func awake() throws {
    try withLoop { loop in
      let port = loop.awaitedPort
      // An event other than a post ends the sleep of the first tick.
      let poll = ForeignHandle(.poll, on: loop.libuvLoop) { _ in }
      poll.start().send()
      var ticks = 0
      loop.addObserver(for: .beforeWaiting, order: .min) { _ in
        ticks += 1
        if ticks == 2 { TestThread.run { for _ in 0..<100 { try? port.post {} } } }
        if ticks == 3 { loop.stop() }
      }
      #expect(loop.runInTime() == .stopped)
      poll.close()
      #expect(loop.metrics.wakesSent == 0)
      #expect(loop.metrics.posts == 100)
    }
  }

  @Test("closures and functions posted by one thread run in FIFO order")  // L2
  func order() throws {
    try withSteppedLoop { stepped in
      let (port, trace) = (stepped.loop.awaitedPort, stepped.trace)
      let context = Smuggled(Unmanaged.passUnretained(trace).toOpaque())
      TestThread.run {
        for number in 0..<3 {
          try? port.post { trace.record("closure \(number)") }
          try? port.post(record, context: context.value)
        }
      }
      stepped.runUntilIdle()
      let expected = (0..<3).flatMap { ["closure \($0)", "function"] }
      #expect(trace.events == expected)
    }
  }

  @Test("posts of the loop's own thread run before other threads' posts, each in order")  // L2
  func ownFirst() throws {
    try withSteppedLoop { stepped in
      let (port, trace) = (stepped.loop.awaitedPort, stepped.trace)
      TestThread.run { for number in 0..<2 { try? port.post { trace.record("other \(number)") } } }
      for number in 0..<2 { try port.post { trace.record("own \(number)") } }
      stepped.step()
      #expect(trace.events == ["own 0", "own 1", "other 0", "other 1"])
    }
  }

  @Test(
    "a signal handler may wake and stop the loop while its thread is inside a post",
    .enabled(if: Interposed.isAvailable)
  )  // L2
  func signalWithinPost() async {
    await #expect(processExitsWith: .success) {
      Process.endInTime()
      try withLoop { loop in
        let (port, raised, posted) = (loop.awaitedPort, Tally(), Tally())
        Process.handlingSignals({
          port.wake()
          port.stop()
        }) {
          TestThread.run {
            // A post allocates only to grow the inbox, and holds the inbox's
            // lock meanwhile.
            Interposed.before(
              .allocation,
              {
                raised.add(posted.value)
                Process.raiseSignal()
              }
            ) {
              for _ in 0..<1000 where (try? port.post(nothing, context: nil)) != nil {
                posted.increment()
              }
            }
          }
        }
        #expect((1..<1000).contains(raised.value))
        #expect(loop.run() == .stopped)
        #expect(loop.metrics.posts == 1000)
      }
    }
  }

  @Test("a post on the loop's own thread never runs inside the call")  // L2
  func notInside() throws {
    try withSteppedLoop { stepped in
      let (port, trace) = (stepped.loop.awaitedPort, stepped.trace)
      try port.post { trace.record("posted") }
      trace.record("returned")
      stepped.step()
      #expect(trace.events == ["returned", "posted"])
    }
  }

  @Test("a post made by a post runs in the same tick, after the post that made it returned")  // L2
  func postsAgain() throws {
    try withSteppedLoop { stepped in
      let (port, trace) = (stepped.loop.awaitedPort, stepped.trace)
      trace.follow(stepped.loop, .afterWaiting)
      try port.post {
        trace.record("first")
        try? port.post { trace.record("second") }
        trace.record("returned")
      }
      stepped.runUntilIdle()
      #expect(trace.events == ["first", "returned", "second", "afterWaiting"])
    }
  }

  @Test("a posted closure is released on the loop's thread")  // L2, O12
  func released() throws {
    try withSteppedLoop { stepped in
      let (port, trace) = (stepped.loop.awaitedPort, stepped.trace)
      TestThread.run {
        try? port.post {
          [
            witness = Witness {
              trace.record(EventLoop.current == nil ? "elsewhere" : "on the loop")
            }
          ] in witness.touch()
        }
      }
      #expect(trace.events == [])
      stepped.runUntilIdle()
      #expect(trace.events == ["on the loop"])
    }
  }

  @Test("after close() a post is refused, and its closure released")  // L2, L11
  func refused() throws {
    let trace = Trace()
    let loop = try EventLoop()
    let port = loop.awaitedPort
    try loop.close()
    for isElsewhere in [false, true] {
      let post: @Sendable () -> Void = {
        do {
          try port.post { [witness = Witness { trace.record("dropped") }] in witness.touch() }
        } catch {
          trace.record("\(error)")
        }
        do { try port.post(record, context: nil) } catch { trace.record("\(error)") }
        let action = SharedAction { trace.record("performed") }
        do { try port.commit(action, SharedAction.perform) } catch { trace.record("\(error)") }
        port.wake()
        port.stop()
      }
      if isElsewhere { TestThread.run(post) } else { post() }
      #expect(trace.take() == ["dropped", "closed", "closed", "closed"])
    }
  }

  @Test("a loop has one port while it is retained")  // L2
  func onePort() throws {
    try withLoop { loop in
      let port = loop.awaitedPort
      #expect(loop.awaitedPort === port)
    }
  }

  @Test("a loop waits for posts while a port is retained, but not after it released the port")
  func held() throws {  // L2, L8
    try withLoop { loop in
      var port: LoopPort? = loop.awaitedPort
      #expect(loop.run(.noWait) == .ticked)
      port = nil
      #expect(loop.run() == .finished)
      _ = port
    }
  }

  @Test("a blocked loop returns when another thread releases the last port")  // L2, L8
  func droppedElsewhere() throws {
    try withLoop { loop in
      var port: LoopPort? = loop.awaitedPort
      var thread: TestThread?
      loop.addObserver(for: .beforeWaiting, repeats: false) { _ in
        thread = TestThread { [port] in withExtendedLifetime(port) {} }
        port = nil
      }
      #expect(loop.runInTime() == .finished)
      thread?.join()
    }
  }

  @Test("a port obtained before the last one's release was processed keeps the loop waiting")  // L2
  func takenAgain() throws {
    try withLoop { loop in
      _ = loop.awaitedPort
      let port = loop.awaitedPort
      #expect(loop.run(.noWait) == .ticked)
      #expect(loop.run(.noWait) == .ticked)
      withExtendedLifetime(port) {}
    }
  }

  @Test("a port returns metrics on any thread")  // X1
  func metrics() throws {
    try withSteppedLoop { stepped in
      let (port, trace) = (stepped.loop.awaitedPort, stepped.trace)
      try port.post {}
      stepped.runUntilIdle()
      TestThread.run { trace.record("\(port.metrics.posts)") }
      #expect(trace.events == ["1"])
    }
  }
}
