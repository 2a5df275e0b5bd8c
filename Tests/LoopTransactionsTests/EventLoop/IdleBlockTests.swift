import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("EventLoop: idle blocks")
struct IdleBlockTests {
  @Test("idle blocks run in the order added, one per tick, and the run waits for them")  // L9
  func order() throws {
    try withSteppedLoop { stepped in
      let (loop, trace) = (stepped.loop, stepped.trace)
      for number in 0..<3 { loop.whenIdle { trace.record("\(number)") } }
      var ticks: [[String]] = []
      while !stepped.isIdle {
        stepped.step()
        ticks.append(trace.take())
      }
      #expect(ticks == [["0"], ["1"], ["2"]])
      for number in 0..<3 { loop.whenIdle { trace.record("\(number)") } }
      #expect(loop.run() == .finished)
      #expect(trace.take() == ["0", "1", "2"])
    }
  }

  @Test("an idle block runs only in a tick without other pending work")  // L9
  func yields() throws {
    try withSteppedLoop { stepped in
      let (loop, trace) = (stepped.loop, stepped.trace)
      loop.budget = EventLoop.Budget(count: 1)
      loop.whenIdle { trace.record("idle") }
      loop.post { trace.record("post") }
      loop.commit { trace.record("commit 1") }
      loop.commit { trace.record("commit 2") }
      stepped.runUntilIdle()
      #expect(trace.take() == ["post", "commit 1", "commit 2", "idle"])
    }
  }

  @Test("work that keeps arriving keeps idle blocks waiting")  // L9
  func starves() throws {
    try withSteppedLoop { stepped in
      let (loop, trace) = (stepped.loop, stepped.trace)
      let block = loop.whenIdle { trace.record("idle") }
      let port = loop.port
      var left = 20
      let observer = loop.addObserver(for: .beforeWaiting) { _ in
        left -= 1
        // The loop sees it after the poll.
        if left > 0 { TestThread.run { try? port.post {} } }
      }
      while left > 1 { stepped.step() }
      #expect(block.isWaiting)
      observer.cancel()
      stepped.runUntilIdle()
      #expect(trace.events == ["idle"] && !block.isWaiting)
    }
  }

  @Test("events that are ready are served before each idle block")  // L9
  func readyFirst() throws {
    try withLoop { loop in
      let trace = Trace()
      let poll = ForeignHandle(.poll, on: loop.libuvLoop) { _ in trace.record("event") }
      poll.start()
      for number in 0..<3 {
        loop.whenIdle {
          trace.record("idle \(number)")
          poll.send()
        }
      }
      poll.send()
      for _ in 0..<3 { loop.run(.noWait) }
      poll.close()
      #expect(trace.events == ["event", "idle 0", "event", "idle 1", "event", "idle 2"])
    }
  }

  @Test("an idle block waits while the tick's budget is spent")  // L9
  func budget() throws {
    try withSteppedLoop { stepped in
      let (loop, trace) = (stepped.loop, stepped.trace)
      loop.budget = EventLoop.Budget(time: .milliseconds(4))
      loop.whenIdle { trace.record("idle") }
      loop.post {
        trace.record("post")
        stepped.spend(.milliseconds(4))
      }
      // A run of one tick has one budget.
      loop.run(.noWait)
      #expect(trace.take() == ["post"])
      loop.run(.noWait)
      #expect(trace.take() == ["idle"])
    }
  }

  @Test("a cancelled block is not called, releases its captures, and lets the loop block")  // L7
  func cancels() throws {
    try withSteppedLoop { stepped in
      let (loop, trace) = (stepped.loop, stepped.trace)
      var blocks: [EventLoop.IdleBlock] = []
      for number in 0..<1000 {
        let witness = Witness { if number == 500 { trace.record("released") } }
        blocks.append(
          loop.whenIdle {
            witness.touch()
            trace.record("\(number)")
          }
        )
      }
      for (number, block) in blocks.enumerated() where number % 100 != 0 || number == 500 {
        block.cancel()
      }
      #expect(trace.take() == ["released"])
      #expect(blocks[0].isWaiting && !blocks[1].isWaiting)
      #expect(stepped.runUntilIdle() == 9)
      #expect(trace.take() == (0..<10).filter { $0 != 5 }.map { "\($0 * 100)" })
      let last = loop.whenIdle {}
      last.cancel()
      last.cancel()
      #expect(stepped.isIdle)
    }
  }

  @Test("a block that adds a block does so for a later tick")  // L9
  func nested() throws {
    try withSteppedLoop { stepped in
      let (loop, trace) = (stepped.loop, stepped.trace)
      loop.whenIdle {
        trace.record("first")
        loop.whenIdle { trace.record("second") }
      }
      stepped.step()
      #expect(trace.take() == ["first"])
      stepped.step()
      #expect(trace.take() == ["second"])
    }
  }

  @Test("a stopped run leaves idle blocks to the next run")  // L8
  func stops() throws {
    try withLoop { loop in
      var called = 0
      for _ in 0..<3 {
        loop.whenIdle {
          called += 1
          loop.stop()
        }
      }
      #expect(loop.run() == .stopped && called == 1)
      #expect(loop.run() == .stopped && called == 2)
    }
  }

  @Test("close() calls waiting blocks, and drops blocks that keep adding blocks")  // L11
  func closes() throws {
    let loop = try EventLoop()
    let trace = Trace()
    loop.whenIdle {
      trace.record("first")
      loop.whenIdle { trace.record("nested") }
    }
    try loop.close()
    #expect(trace.take() == ["first", "nested"])

    let endless = try EventLoop()
    let released = Tally()
    func again(_ witness: Witness) { endless.whenIdle { again(witness) } }
    again(Witness { released.increment() })
    try endless.close()
    #expect(released.value == 1)
  }

  @Test("blocks of a loop that a host runs are called, and of a released one are released")  // L11
  func hosts() throws {
    try withAdoptedLoop { host, loop in
      var called = 0
      for _ in 0..<3 { loop.whenIdle { called += 1 } }
      host.run()
      #expect(called == 3)
    }
    TestThread.run {
      Interposed.forgiveLeaks()
      let released = Tally()
      var loop = try? EventLoop()
      let block = {
        let witness = Witness { released.increment() }
        return loop?.whenIdle { witness.touch() }
      }()
      loop = nil
      #expect(released.value == 1)
      withExtendedLifetime(block) {}
    }
  }
}
