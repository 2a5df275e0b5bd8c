import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

private let all: EventLoop.Activity = [.entry, .beforeWaiting, .afterWaiting, .exit]

@Suite("Activity")
struct ActivityTests {
  @Test("an activity prints its names")  // L3
  func names() {
    #expect("\(EventLoop.Activity.beforeWaiting)" == "beforeWaiting")
    #expect("\(EventLoop.Activity([.exit, .entry]))" == "entry|exit")
  }

  @Test("a tick reports entry, beforeWaiting, poll callbacks, afterWaiting, exit, in this order")
  func wholeTick() throws {  // L3
    try withLoop { loop in
      let trace = Trace()
      trace.follow(loop, all)
      let poll = ForeignHandle(.poll, on: loop.libuvLoop) { _ in trace.record("poll") }
      poll.start().send()
      #expect(loop.run(.noWait) == .ticked)
      poll.close()
      #expect(trace.events == ["entry", "beforeWaiting", "poll", "afterWaiting", "exit"])
    }
  }

  @Test("a run with nothing to wait for reports only entry and exit")  // L3, L8
  func emptyRun() throws {
    try withLoop { loop in
      let trace = Trace()
      trace.follow(loop, all)
      loop.run()
      #expect(trace.events == ["entry", "exit"])
    }
  }

  @Test("entry and exit are reported once per run, however many ticks it has")  // L8
  func entryAndExitOnce() throws {
    try withLoop { loop in
      let trace = Trace()
      trace.follow(loop, [.entry, .exit])
      let port = loop.awaitedPort
      var ticks = 0
      loop.addObserver(for: .beforeWaiting) { _ in
        ticks += 1
        if ticks < 5 { port.wake() } else { loop.stop() }
      }
      loop.run()
      withExtendedLifetime(port) {}
      #expect(ticks == 5)
      #expect(trace.take() == ["entry", "exit"])
      loop.run()
      #expect(trace.events == ["entry", "exit"])
    }
  }

  @Test("beforeWaiting is also reported in ticks that do not block")  // L4
  func everyTick() throws {
    try withLoop { loop in
      let trace = Trace()
      // An active idle handle makes every poll return immediately.
      let idle = ForeignHandle(.idle, on: loop.libuvLoop) { _ in trace.record("idle") }
      idle.start()
      trace.follow(loop, [.beforeWaiting, .afterWaiting])
      for _ in 0..<3 { loop.run(.noWait) }
      idle.close()
      let tick = ["idle", "beforeWaiting", "afterWaiting"]
      #expect(trace.events == tick + tick + tick)
      #expect(loop.metrics.ticks == 3)
    }
  }

  @Test("beforeWaiting is reported in a tick that carries work over, and in the next tick")  // L4
  func everyOwingTick() throws {
    try withSteppedLoop { stepped in
      let (loop, trace) = (stepped.loop, stepped.trace)
      trace.follow(loop, .beforeWaiting)
      loop.commit {
        trace.record("first")
        loop.commit { trace.record("second") }
      }
      stepped.runUntilIdle()
      #expect(trace.events == ["beforeWaiting", "first", "beforeWaiting", "second"])
    }
  }

  @Test(
    "a commit of an exit observer is performed before a whole run returns",
    arguments: [0, 0xFFFFFF, Int.max]
  )  // L8
  func exitCommits(order: Int) throws {
    try withLoop { loop in
      let trace = Trace()
      loop.addObserver(for: .exit, order: order) { _ in
        trace.record("exit")
        loop.commit { trace.record("performed") }
      }
      #expect(loop.run() == .finished)
      #expect(trace.events == ["exit", "performed"])
    }
  }

  @Test(
    "the next run first performs a commit that an exit observer made in a run of one tick",
    arguments: [EventLoop.Mode.once, .noWait],
    [0, 0xFFFFFF, Int.max]
  )  // L8
  func exitCommitsInOneTick(mode: EventLoop.Mode, order: Int) throws {
    try withLoop { loop in
      let trace = Trace()
      let timer = loop.addTimer(after: mode == .once ? .zero : .seconds(3600)) { _ in }
      loop.addTimer(after: .seconds(3600)) { _ in }
      loop.addObserver(for: .exit, order: order) { _ in
        trace.record("exit")
        loop.commit { trace.record("performed") }
      }
      #expect(loop.run(mode) == .ticked)
      #expect(trace.take() == ["exit"])
      #expect(loop.run(.noWait) == .ticked)
      #expect(trace.events == ["performed", "exit"])
      timer.cancel()
    }
  }

  @Test("exit observers are called once, in order, in a run that is stopped")  // L8
  func exitOrder() throws {
    try withLoop { loop in
      let trace = Trace()
      for order in [1, 0, 2] {
        loop.addObserver(for: .exit, order: order) { _ in trace.record("exit \(order)") }
      }
      loop.addTimer(after: .zero) { _ in loop.stop() }
      let port = loop.awaitedPort
      #expect(loop.run() == .stopped)
      withExtendedLifetime(port) {}
      #expect(trace.events == ["exit 0", "exit 1", "exit 2"])
    }
  }
}
