import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

/// A named element of a queue.
private final class Element: Sendable {
  let name: String

  init(_ name: String) { self.name = name }
}

@Suite("Budget")
struct BudgetTests {
  @Test("the default budget is 4 ms per tick, without a count limit")  // L9
  func standard() {
    #expect(EventLoop.Budget() == EventLoop.Budget(time: .milliseconds(4), count: .max))
  }

  @Test("a tick carries the remaining work over when its time is spent")  // L9
  func time() throws {
    try withSteppedLoop { stepped in
      let (loop, trace) = (stepped.loop, stepped.trace)
      trace.follow(loop, .beforeWaiting)
      for number in 1...5 {
        loop.commit {
          trace.record("T\(number)")
          stepped.spend(.milliseconds(2))
        }
      }
      #expect(stepped.runUntilIdle() == 3)
      #expect(
        trace.events == [
          "beforeWaiting", "T1", "T2", "beforeWaiting", "T3", "T4", "beforeWaiting", "T5",
        ]
      )
      #expect(loop.metrics.carriedOver == 2)
    }
  }

  @Test("posts, queues and transactions share one time budget")  // L9
  func sharedTime() throws {
    try withSteppedLoop { stepped in
      let port = stepped.loop.awaitedPort
      let queue = try fill(stepped, port, each: 2) { stepped.spend(.milliseconds(2)) }
      stepped.step()
      // Each kind of work performs at least one item, so no kind starves
      // another.
      #expect(stepped.trace.take() == ["P1", "P2", "Q1", "T1"])
      stepped.step()
      #expect(stepped.trace.take() == ["Q2", "T2"])
      #expect(stepped.isIdle)
      withExtendedLifetime((port, queue)) {}
    }
  }

  @Test("posts, queues and transactions share one count budget")  // L9
  func sharedCount() throws {
    try withSteppedLoop { stepped in
      stepped.loop.budget = EventLoop.Budget(count: 5)
      let port = stepped.loop.awaitedPort
      let queue = try fill(stepped, port, each: 3) {}
      stepped.step()
      #expect(stepped.trace.take() == ["P1", "P2", "P3", "Q1", "Q2", "T1"])
      stepped.step()
      #expect(stepped.trace.take() == ["Q3", "T2", "T3"])
      #expect(stepped.isIdle)
      withExtendedLifetime((port, queue)) {}
    }
  }

  @Test("an unlimited budget lets all work run in one tick")  // L9
  func unlimited() throws {
    try withSteppedLoop { stepped in
      stepped.loop.budget = .unlimited
      let port = stepped.loop.awaitedPort
      let queue = try fill(stepped, port, each: 3) { stepped.spend(.seconds(60)) }
      stepped.step()
      #expect(
        stepped.trace.events == ["P1", "P2", "P3", "Q1", "Q2", "Q3", "T1", "T2", "T3"]
      )
      withExtendedLifetime((port, queue)) {}
    }
  }

  /// Adds `each` posts (P1…), `each` elements (Q1…) and `each` transactions
  /// (T1…). Returns the queue.
  private func fill(
    _ stepped: SteppedLoop,
    _ port: LoopPort,
    each: Int,
    _ work: @escaping () -> Void
  ) throws -> AnyObject {
    let (loop, trace) = (stepped.loop, stepped.trace)
    let smuggled = Smuggled(work)
    let queue = RunLoopQueue<Element>(on: loop, batchSize: .unlimited) { element, _ in
      trace.record(element.name)
      work()
    }
    for number in 1...each {
      try port.post {
        trace.record("P\(number)")
        smuggled.value()
      }
      queue.enqueue(Element("Q\(number)"))
      loop.commit {
        trace.record("T\(number)")
        work()
      }
    }
    return queue
  }

  @Test("carried-over work runs after ready I/O was served")  // L9
  func ioInBetween() throws {
    try withSteppedLoop { stepped in
      let (loop, trace) = (stepped.loop, stepped.trace)
      loop.budget = EventLoop.Budget(count: 1)
      let poll = ForeignHandle(.poll, on: loop.libuvLoop) { _ in trace.record("poll") }
      poll.start()
      for number in 1...3 {
        loop.commit {
          trace.record("T\(number)")
          poll.send()
        }
      }
      for _ in 1...3 { stepped.step() }
      poll.close()
      #expect(trace.events == ["T1", "poll", "T2", "poll", "T3", "poll"])
    }
  }

  @Test("carried-over work runs before the loop blocks")  // L9
  func carriedOverAtOnce() throws {
    try withLoop { loop in
      loop.budget = EventLoop.Budget(count: 1)
      let trace = Trace()
      loop.addTimer(after: .seconds(3600)) { _ in trace.record("timer") }
      for number in 1...3 {
        loop.commit {
          trace.record("T\(number)")
          if number == 3 { loop.stop() }
        }
      }
      Interposed.beforeBlocking({ _ in trace.record("blocks") }) { _ = loop.run() }
      #expect(trace.events == ["T1", "T2", "T3"])
      #expect(loop.metrics.ticks == 3)
    }
  }

  @Test("posts from other threads that are carried over run before the loop blocks")  // L5, L9
  func postsCarriedOverAtOnce() throws {
    try withLoop { loop in
      loop.budget = EventLoop.Budget(count: 1)
      let (port, trace) = (loop.awaitedPort, Trace())
      let poll = ForeignHandle(.poll, on: loop.libuvLoop) { _ in }
      poll.start().send()
      // The loop is awake, so no wake is written, and the next tick takes the
      // posts.
      loop.addObserver(for: .afterWaiting, repeats: false) { _ in
        TestThread.run {
          try? port.post { trace.record("P1") }
          try? port.post {
            trace.record("P2")
            port.stop()
          }
        }
      }
      Interposed.beforeBlocking({ _ in trace.record("blocks") }) { _ = loop.runInTime() }
      poll.close()
      #expect(trace.events.drop { $0 == "blocks" } == ["P1", "P2"])
    }
  }

  @Test("a run of one tick returns .ticked while posts are carried over")  // L8, L9
  func postsCarriedOverKeepRunning() throws {
    try withLoop { loop in
      loop.budget = EventLoop.Budget(count: 1)
      let trace = Trace()
      let timer = loop.addTimer(after: .seconds(3600)) { _ in }
      let queues = (0..<2).map { number in
        RunLoopQueue<Element>(on: loop) { _, _ in trace.record("Q\(number)") }
      }
      loop.addObserver(for: .afterWaiting, repeats: false) { _ in
        TestThread.run { for queue in queues { queue.enqueue(Element("Q")) } }
      }
      loop.addObserver(for: .exit, repeats: false) { _ in timer.cancel() }
      #expect(loop.run(.noWait) == .ticked)
      #expect(loop.run() == .finished)
      #expect(trace.events == ["Q0", "Q1"])
    }
  }

  @Test("a budget set by an action takes effect in the next tick")  // L9
  func setWhileSpending() throws {
    try withSteppedLoop { stepped in
      let (loop, trace) = (stepped.loop, stepped.trace)
      for number in 1...4 {
        loop.commit {
          trace.record("T\(number)")
          loop.budget = EventLoop.Budget(count: 1)
        }
      }
      stepped.step()
      #expect(trace.take() == ["T1", "T2", "T3", "T4"])
      loop.commit { trace.record("T5") }
      loop.commit { trace.record("T6") }
      stepped.step()
      #expect(trace.events == ["T5"])
    }
  }

  @Test("a whole run performs everything before it returns, even if an action lowers the budget")
  func setWhileLeaving() throws {  // L5, L9
    try withLoop { loop in
      let trace = Trace()
      loop.addObserver(for: .exit, repeats: false) { _ in
        for number in 1...3 {
          loop.commit {
            trace.record("T\(number)")
            loop.budget = EventLoop.Budget(count: 1)
          }
        }
      }
      loop.run()
      #expect(trace.events == ["T1", "T2", "T3"])
    }
  }

  @Test("a tick that overran its time does not shorten the next")  // L9
  func overrun() throws {
    try withLoop { loop in
      loop.commit {
        let end = LoopClock.now.advanced(by: .milliseconds(10))
        while LoopClock.now < end {}
      }
      for _ in 0..<30 { loop.commit {} }
      loop.run()
      // The loop makes two ticks, or more if another process takes the
      // processor. If the overrun were charged to later ticks, it would make
      // 31.
      #expect((2...20).contains(loop.metrics.ticks))
    }
  }

  @Test("time between two runs does not count towards the second run's budget")  // L8, L9
  func betweenRuns() throws {
    try withSteppedLoop { stepped in
      let (loop, trace) = (stepped.loop, stepped.trace)
      let port = loop.awaitedPort
      loop.addObserver(for: .exit, repeats: false) { _ in loop.commit { trace.record("exit") } }
      #expect(loop.run(.noWait) == .ticked)
      #expect(loop.metrics.flushes == 1)
      stepped.spend(.milliseconds(10))
      for number in 1...3 { loop.commit { trace.record("T\(number)") } }
      stepped.step()
      #expect(trace.events == ["exit", "T1", "T2", "T3"])
      withExtendedLifetime(port) {}
    }
  }

  @Test("a flush of over 1 ms refreshes libuv's clock")  // L9
  func refreshesClock() throws {
    var readings: [UInt64] = []
    var later: ForeignHandle?
    try withAdoptedLoop(prepare: { host in
      // This handle was started before the loop's own handle, so libuv calls it
      // later.
      later = ForeignHandle(.prepare, on: host.address) { _ in readings.append(host.milliseconds) }
      later?.start()
    }) { host, loop in
      let earlier = ForeignHandle(.prepare, on: host.address) { _ in
        readings.append(host.milliseconds)
      }
      earlier.start()
      loop.commit {
        let end = LoopClock.now.advanced(by: .milliseconds(5))
        while LoopClock.now < end {}
      }
      loop.run(.noWait)
      earlier.close()
      later?.close()
    }
    try #require(readings.count == 2)
    #expect(readings[1] >= readings[0] + 4)
  }
}
