import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

// Longer than any test.
private let never = Duration.seconds(3600)
private let past = LoopClock.Instant(nanoseconds: 0)

/// A target that commits itself again each time it is performed.
private final class Animation {
  static let advance = Selector<Animation>("advance") { $0.performAgain() }

  private(set) var performed = 0
  private unowned let loop: EventLoop

  init(on loop: EventLoop) {
    self.loop = loop
    loop.commit(self, Self.advance)
  }

  func end() { loop.cancel(self, Self.advance) }

  private func performAgain() {
    performed += 1
    loop.commit(self, Self.advance)
  }
}

/// The run modes that may return with work pending.
enum BriefRun: CaseIterable, Sendable {
  case once, noWait, untilPast

  @discardableResult
  func callAsFunction(_ loop: EventLoop) -> EventLoop.RunResult {
    switch self {
    case .once: loop.run(.once)
    case .noWait: loop.run(.noWait)
    case .untilPast: loop.run(until: past)
    }
  }
}

@Suite("EventLoop.run: end of a run")
struct RunEndTests {
  @Test("run(until:) past its deadline performs no more than the budget")  // L5, L13
  func untilBacklog() throws {
    try withLoop { loop in
      loop.budget = EventLoop.Budget(time: never, count: 5)
      let trace = Trace()
      for number in 1...20 { loop.commit { trace.record("T\(number)") } }
      #expect(loop.run(until: past) == .timedOut)
      #expect(trace.take() == (1...5).map { "T\($0)" })
      // The next run performs the remaining work first.
      loop.commit { trace.record("T21") }
      #expect(loop.run() == .finished)
      #expect(trace.events == (6...21).map { "T\($0)" })
    }
  }

  @Test(
    "a transaction that commits itself is performed once in a run of one tick",
    arguments: BriefRun.allCases
  )
  func selfCommit(run: BriefRun) throws {  // T4, L8
    try withLoop { loop in
      let animation = Animation(on: loop)
      for count in 1...5 {
        run(loop)
        #expect(animation.performed == count)
      }
      animation.end()
    }
  }

  @Test("a transaction that commits itself is performed once per tick of run(until:)")  // T4, L8
  func frameLoop() throws {
    try withLoop { loop in
      let animation = Animation(on: loop)
      for _ in 1...3 {
        let (ticks, performed) = (Int(loop.metrics.ticks), animation.performed)
        #expect(loop.run(until: loop.now.advanced(by: .milliseconds(2))) == .timedOut)
        #expect(animation.performed - performed == Int(loop.metrics.ticks) - ticks)
      }
      animation.end()
    }
  }

  @Test("a commit of an exit observer belongs to the next tick", arguments: BriefRun.allCases)
  func exitCommit(run: BriefRun) throws {  // T4, L8
    try withLoop { loop in
      let trace = Trace()
      loop.addObserver(for: .exit, order: .min, repeats: false) { _ in
        loop.commit { trace.record("T") }
      }
      loop.addObserver(for: .exit, order: .max) { _ in trace.record("exit") }
      run(loop)
      #expect(trace.take() == ["exit"])
      run(loop)
      #expect(trace.events == ["T", "exit"])
    }
  }

  @Test("a whole run performs commits of exit observers after all of them, then returns")  // L8
  func wholeExitCommit() throws {
    try withLoop { loop in
      let trace = Trace()
      loop.addObserver(for: .exit, order: .min) { _ in loop.commit { trace.record("T") } }
      loop.addObserver(for: .exit, order: .max) { _ in trace.record("exit") }
      #expect(loop.run() == .finished)
      #expect(trace.events == ["exit", "T"])
    }
  }

  @Test(
    """
    run(.noWait) performs commits made in the poll before it returns, and leaves commits \
    made in the flush
    """
  )
  func pollCommit() throws {  // T3, T4
    try withLoop { loop in
      loop.budget = .unlimited
      let trace = Trace()
      let poll = ForeignHandle(.poll, on: loop.libuvLoop) { _ in
        loop.commit { trace.record("poll's") }
      }
      poll.start().send()
      loop.run(.noWait)
      #expect(trace.take() == ["poll's"])
      // The poll's commit must not overtake the earlier commit of the flush.
      loop.commit { loop.commit { trace.record("flush's") } }
      poll.send()
      loop.run(.noWait)
      #expect(trace.take() == [])
      loop.run(.noWait)
      #expect(trace.events == ["flush's", "poll's"])
      poll.close()
    }
  }

  @Test("a cancelled commit of a flush does not defer later commits")  // T3, T7
  func cancelledCommit() throws {
    try withLoop { loop in
      loop.budget = .unlimited
      let trace = Trace()
      let target = Action { trace.record("cancelled") }
      let poll = ForeignHandle(.poll, on: loop.libuvLoop) { _ in
        loop.cancel(target, Action.perform)
        loop.commit { trace.record("poll's") }
      }
      poll.start().send()
      loop.commit { loop.commit(target, Action.perform) }
      loop.run(.noWait)
      #expect(trace.events == ["poll's"])
      poll.close()
    }
  }

  @Test("a flush's commit waits for the next run, even if many later commits are cancelled")  // T4
  func renumbered() throws {
    try withLoop { loop in
      loop.budget = .unlimited
      let trace = Trace()
      let targets = (0..<200).map { _ in Action { trace.record("cancelled") } }
      let poll = ForeignHandle(.poll, on: loop.libuvLoop) { _ in
        for target in targets {
          loop.commit(target, Action.perform)
          loop.cancel(target, Action.perform)
        }
      }
      poll.start().send()
      loop.commit { loop.commit { trace.record("flush's") } }
      loop.run(.noWait)
      #expect(trace.events == [])
      loop.run(.noWait)
      #expect(trace.events == ["flush's"])
      poll.close()
    }
  }

  @Test("a run of one tick spends one budget, including at its end")  // L9
  func oneBudget() throws {
    try withSteppedLoop { stepped in
      let (loop, trace) = (stepped.loop, stepped.trace)
      let poll = ForeignHandle(.poll, on: loop.libuvLoop) { _ in
        for number in 4...6 {
          loop.commit {
            trace.record("T\(number)")
            stepped.spend(.milliseconds(1))
          }
        }
      }
      poll.start().send()
      for number in 1...3 {
        loop.commit {
          trace.record("T\(number)")
          stepped.spend(.milliseconds(1))
        }
      }
      loop.run(.noWait)
      #expect(trace.take() == ["T1", "T2", "T3", "T4"])
      loop.run(.noWait)
      #expect(trace.events == ["T5", "T6"])
      poll.close()
    }
  }

  @Test("a run of one tick whose budget is spent performs nothing at its end")  // L9
  func spentBudget() throws {
    try withLoop { loop in
      loop.budget = EventLoop.Budget(time: never, count: 2)
      let trace = Trace()
      let poll = ForeignHandle(.poll, on: loop.libuvLoop) { _ in
        loop.commit { trace.record("T3") }
        try? loop.awaitedPort.post { trace.record("P1") }
      }
      poll.start().send()
      for number in 1...2 { loop.commit { trace.record("T\(number)") } }
      loop.run(.noWait)
      #expect(trace.take() == ["T1", "T2"])
      loop.run(.noWait)
      #expect(trace.events == ["P1", "T3"])
      poll.close()
    }
  }

  @Test("run(until:) that is stopped before its deadline performs everything")  // L5, L8
  func untilStopped() throws {
    try withLoop { loop in
      loop.budget = EventLoop.Budget(time: never, count: 1)
      var performed = 0
      loop.addObserver(for: .exit, repeats: false) { _ in
        // The budget applies from the next tick on.
        loop.budget = EventLoop.Budget(time: never, count: 2)
        for _ in 0..<10 { loop.commit { performed += 1 } }
      }
      loop.stop()
      #expect(loop.run(until: loop.now.advanced(by: never)) == .stopped)
      #expect(performed == 10)
    }
  }

  @Test("run(until:) that is stopped after its deadline leaves pending work to the next run")
  func untilStoppedLate() throws {  // L5, L8
    try withLoop { loop in
      var performed = 0
      for _ in 0..<10 { loop.commit { performed += 1 } }
      loop.stop()
      #expect(loop.run(until: past) == .stopped)
      #expect(performed == 0)
      #expect(loop.run() == .finished)
      #expect(performed == 10)
    }
  }

  @Test("run(until:) whose deadline passes while it ends returns .timedOut")  // L8
  func untilTimesOutAtEnd() throws {
    try withLoop { loop in
      let deadline = loop.now.advanced(by: .milliseconds(5))
      loop.addObserver(for: .exit, repeats: false) { _ in
        for _ in 0..<2 { loop.commit { while loop.now < deadline {} } }
      }
      #expect(loop.run(until: deadline) == .timedOut)
    }
  }

  @Test("run(until:) that is stopped performs pending work only until its deadline")  // L5, L8
  func untilPassesAtEnd() throws {
    try withLoop { loop in
      var performed = 0
      let deadline = loop.now.advanced(by: .milliseconds(20))
      for _ in 0..<10 {
        loop.commit {
          performed += 1
          while loop.now < deadline {}
        }
      }
      loop.stop()
      #expect(loop.run(until: deadline) == .stopped)
      // No commit was performed if this process lost the processor for 20 ms.
      #expect(performed <= 1)
      loop.run()
      #expect(performed == 10)
    }
  }
}

@Suite("RunResult")
struct RunResultTests {
  @Test("a whole run that libuv's uv_stop ends returns .stopped")  // L8
  func libuvStop() throws {
    try withLoop { loop in
      loop.addTimer(after: .seconds(3600)) { _ in }
      let stopper = ForeignHandle(.idle, on: loop.libuvLoop) { _ in
        ForeignLoop.stop(loop.libuvLoop)
      }
      stopper.start()
      #expect(loop.run() == .stopped)
      stopper.close()
    }
  }

  @Test("a whole run whose exit observer adds a timer returns .finished")  // L8
  func timerAtExit() throws {
    try withLoop { loop in
      loop.addObserver(for: .exit, repeats: false) { _ in
        loop.addTimer(after: .seconds(3600)) { _ in }
      }
      #expect(loop.run() == .finished)
      #expect(loop.run(.noWait) == .ticked)
    }
  }
}
