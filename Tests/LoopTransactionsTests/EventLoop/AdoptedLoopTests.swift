import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("Adopted loop")
struct AdoptedLoopTests {
  @Test("a host's own run performs commits, and reports no entry or exit")  // L1
  func hostRuns() throws {
    try withAdoptedLoop { host, loop in
      let trace = Trace()
      trace.follow(loop, [.entry, .beforeWaiting, .afterWaiting, .exit])
      loop.commit { trace.record("performed") }
      #expect(!host.run())
      #expect(trace.events == ["beforeWaiting", "performed", "afterWaiting"])
    }
  }

  @Test("a loop uses four handles for any number of observers, queues and ports")  // L3
  func handles() throws {
    try withAdoptedLoop { host, loop in
      for order in 0..<10 {
        loop.addObserver(for: [.entry, .beforeWaiting, .afterWaiting, .exit], order: order) { _ in }
      }
      let queues = (0..<10).map { _ in RunLoopQueue<Witness>(on: loop, handler: nil) }
      for queue in queues { queue.enqueue(Witness {}) }
      loop.commit {}
      let port = loop.awaitedPort
      try port.post {}
      loop.run(.noWait)
      #expect([.idle, .prepare, .check].map(host.handleCount) == [1, 1, 1])
      #expect([.timer, .async, .poll].map(host.handleCount).reduce(0, +) == 1)
      withExtendedLifetime((port, queues)) {}
    }
  }

  @Test(
    "in a host's own run, a commit from any callback is performed before the loop blocks",
    arguments: ForeignHandle.Kind.allCases
  )  // L1, L5
  func hostHandles(kind: ForeignHandle.Kind) throws {
    try withAdoptedLoop { host, loop in
      let trace = Trace()
      let timer = ForeignHandle(.timer, on: host.address) { _ in trace.record("timer") }
      timer.start(afterMilliseconds: 100)
      let handle = ForeignHandle(kind, on: host.address) { handle in
        trace.record("committed")
        handle.stop()
        loop.commit {
          trace.record("performed")
          host.stop()
        }
      }
      handle.start()
      if kind == .async || kind == .poll { handle.send() }
      if kind == .check {
        ForeignHandle(.idle, on: host.address) { $0.close() }.start()
      }
      Interposed.beforeBlocking({ _ in trace.record("blocks") }) { _ = host.run() }
      timer.close()
      handle.close()
      // The timer fires first if this process loses the processor for 100 ms.
      let rest = trace.events.drop { $0 == "blocks" || $0 == "timer" }
      #expect(rest == ["committed", "performed"])
    }
  }

  @Test("a host that stops its loop strands no commit made before the check handle runs")  // L5
  func hostStops() throws {
    try withAdoptedLoop { host, loop in
      var performed = 0
      let poll = ForeignHandle(.poll, on: host.address) { _ in
        loop.commit { performed += 1 }
        host.stop()
      }
      poll.start().send()
      host.run()
      poll.close()
      #expect(performed == 1)
    }
  }

  @Test("a host that stops its loop strands no post, even if earlier posts were carried over")
  func hostStopsBehind() throws {  // L5, L9
    try withAdoptedLoop { host, loop in
      loop.budget = EventLoop.Budget(count: 1)
      let (port, trace) = (loop.awaitedPort, Trace())
      TestThread.run { for number in 1...2 { try? port.post { trace.record("P\(number)") } } }
      // The next post comes after this tick's two posts, the second of which is
      // carried over.
      loop.addObserver(for: .beforeWaiting, repeats: false) { _ in
        TestThread.run { try? port.post { trace.record("P3") } }
        host.stop()
      }
      host.run(.noWait)
      #expect(trace.events == ["P1", "P2", "P3"])
    }
  }

  private final class Queues {
    var dropped: RunLoopQueue<Witness>?
    var filled: RunLoopQueue<Witness>?
  }

  @Test("a host's run of one tick returns true if a wake left work")  // L5
  func hostTicks() throws {
    var later: ForeignHandle?
    let queues = Smuggled(Queues())
    try withAdoptedLoop(prepare: { host in
      // libuv calls this handle after the loop's own handle. The loop counts as
      // asleep at this point, so other threads send it a wake. The host waits
      // for no other handle.
      later = ForeignHandle(.prepare, on: host.address) { handle in
        handle.stop()
        TestThread.run {
          queues.value.dropped = nil
          queues.value.filled?.enqueue(Witness {})
        }
      }
      later?.start()
    }) { host, loop in
      loop.budget = EventLoop.Budget(count: 1)
      let handedOver = Tally()
      queues.value.dropped = RunLoopQueue(on: loop, handler: nil)
      queues.value.filled = RunLoopQueue(on: loop) { _, _ in handedOver.increment() }
      #expect(host.run(.once))
      #expect(loop.metrics.wakesReceived == 1)
      #expect(!host.run())
      #expect(handedOver.value == 1)
      later?.close()
    }
  }

  @Test("a host's run waits for posts while a port is retained, and runs them")  // L1, L6
  func hostWaits() throws {
    try withAdoptedLoop { host, loop in
      let port = loop.awaitedPort
      let trace = Trace()
      var thread: TestThread?
      loop.addObserver(for: .beforeWaiting, repeats: false) { _ in
        thread = TestThread { try? port.post { trace.record("posted") } }
      }
      #expect(host.run(.once))
      thread?.join()
      host.run(.noWait)
      #expect(trace.events == ["posted"])
    }
  }

  @Test("posts wake a host that polls for libuv itself, whenever they are made")  // L6
  func hostPolls() throws {
    try withAdoptedLoop { host, loop in
      let (port, trace) = (loop.awaitedPort, Trace())
      // Post before the first turn, after a turn, after a wake, and after a run
      // of the loop.
      for name in ["first", "second", "third", "fourth"] {
        TestThread.run { try? port.post { trace.record(name) } }
        #expect(host.wait())
        host.run(.noWait)
        host.run(.noWait)
        if name == "third" { loop.run(.noWait) }
      }
      loop.commit { trace.record("committed") }
      #expect(host.wait())
      host.run(.noWait)
      #expect(trace.events == ["first", "second", "third", "fourth", "committed"])
    }
  }

  @Test("run() within a host's own run traps", arguments: [true, false])  // L8
  func nestedInHostsRun(inTimer: Bool) async {
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) { [inTimer] in
      let host = ForeignLoop()
      let loop = try EventLoop(adopting: host.address)
      if inTimer {
        loop.addTimer(after: .zero) { _ in loop.run() }
      } else {
        loop.commit { loop.run(.noWait) }
      }
      host.run()
    }
    #expect(
      said(result, "EventLoop.run: must not be called while the loop's owner runs it")
    )
  }

  @Test("stop() ends a host's own run, but no later run of the loop")  // L1, L8
  func stopsHost() throws {
    try withAdoptedLoop { host, loop in
      let port = loop.awaitedPort
      loop.addTimer(after: .zero) { _ in loop.stop() }
      #expect(host.run())
      #expect(loop.run(.noWait) == .ticked)
      loop.stop()
      #expect(loop.run() == .stopped)
      withExtendedLifetime(port) {}
    }
  }
}
