import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

// What would be longer than any test: a loop that waits for it is stuck.
private let never = Duration.seconds(3600)

@Suite("EventLoop.run")
struct EventLoopRunTests {
  @Test("a run with nothing to wait for is finished at once")  // L8
  func finished() throws {
    try withLoop { loop in
      #expect(loop.run() == .finished)
      #expect(loop.run(.once) == .finished)
      #expect(loop.run(.noWait) == .finished)
    }
  }

  @Test("a run performs what was committed before it, though it has nothing to wait for")  // L5
  func committedBefore() throws {
    try withLoop { loop in
      var performed = 0
      loop.commit { performed += 1 }
      #expect(loop.run() == .finished)
      #expect(performed == 1)
    }
  }

  @Test("run() ends when the last timer has fired")  // L8
  func lastTimer() throws {
    try withLoop { loop in
      var fired = 0
      for delay in 1...3 { loop.addTimer(after: .milliseconds(delay)) { _ in fired += 1 } }
      #expect(loop.run() == .finished)
      #expect(fired == 3)
    }
  }

  @Test("run(.noWait) makes one tick, does not block, and says that there is more")  // L8
  func noWait() throws {
    try withLoop { loop in
      loop.addTimer(after: never) { _ in }
      var blocked = 0
      Interposed.beforeBlocking({ _ in blocked += 1 }) {
        #expect(loop.run(.noWait) == .ticked)
      }
      #expect(blocked == 0)
      #expect(loop.metrics.ticks == 1)
    }
  }

  @Test("run(.once) makes one tick, and blocks in it until there is an event")  // L8
  func once() throws {
    try withLoop { loop in
      var fired = 0
      loop.addTimer(after: .milliseconds(5), every: never) { _ in fired += 1 }
      #expect(loop.run(.once) == .ticked)
      #expect(fired == 1)
      #expect(loop.metrics.ticks == 1)
    }
  }

  @Test("run(until:) times out, and not before its deadline")  // L8
  func untilDeadline() throws {
    try withLoop { loop in
      let port = loop.port
      let deadline = loop.now.advanced(by: .microseconds(4321))
      #expect(loop.run(until: deadline) == .timedOut)
      #expect(loop.now >= deadline)
      // The next run does not time out for it.
      try port.post { port.stop() }
      #expect(loop.run() == .stopped)
    }
  }

  @Test("run(until:) performs what was committed, though its deadline has passed")  // L8, L5
  func untilPast() throws {
    try withLoop { loop in
      let port = loop.port
      var performed = 0
      loop.commit { performed += 1 }
      #expect(loop.run(until: LoopClock.Instant(nanoseconds: 0)) == .timedOut)
      withExtendedLifetime(port) {}
      #expect(performed == 1)
    }
  }

  @Test("run(until:) does not wait for its deadline when nothing is left")  // L8
  func untilFinished() throws {
    try withLoop { loop in
      var fired = 0
      loop.addTimer(after: .milliseconds(1)) { _ in fired += 1 }
      #expect(loop.run(until: loop.now.advanced(by: never)) == .finished)
      #expect(fired == 1)
    }
  }

  @Test("run(until:) does not outlast its deadline for what came in its last tick")  // L8
  func untilLastTick() throws {
    try withLoop { loop in
      let queue = RunLoopQueue<Witness>(on: loop) { _, _ in
        loop.addTimer(after: .milliseconds(1)) { _ in Issue.record("the run went on") }
      }
      let deadline = loop.now.advanced(by: .milliseconds(2))
      var isDue = false
      loop.addTimer(after: .milliseconds(3)) { _ in isDue = true }
      loop.addObserver(for: .afterWaiting) { _ in
        guard isDue else { return }
        isDue = false
        TestThread.run { queue.enqueue(Witness {}) }
      }
      // The deadline and the timer come in one tick, which is the last.
      loop.commit { while loop.now < deadline.advanced(by: .milliseconds(5)) {} }
      #expect(loop.run(until: deadline) == .timedOut)
    }
  }

  @Test("run(until:) that is stopped says so")  // L8
  func untilStopped() throws {
    try withLoop { loop in
      loop.addTimer(after: .zero, every: never) { _ in loop.stop() }
      #expect(loop.run(until: loop.now.advanced(by: never)) == .stopped)
    }
  }

  @Test("a chain of commits is performed to its end by a run that is stopped")  // L8
  func chain() throws {
    try withLoop { loop in
      var performed = 0
      func again() {
        performed += 1
        if performed < 10 { loop.commit { again() } }
      }
      again()
      loop.stop()
      #expect(loop.run() == .stopped)
      #expect(performed == 10)
    }
  }

  @Test("run(until:) that is stopped in the tick of its deadline says that it was stopped")  // L8
  func untilStoppedAtDeadline() throws {
    try withLoop { loop in
      loop.commit { loop.stop() }
      #expect(loop.run(until: LoopClock.Instant(nanoseconds: 0)) == .stopped)
    }
  }

  @Test("a deadline that a run did not come to does not end the next run")  // L8
  func untilStoppedEarly() throws {
    try withLoop { loop in
      loop.commit { loop.stop() }
      #expect(loop.run(until: loop.now.advanced(by: .milliseconds(2))) == .stopped)
      loop.addTimer(after: .milliseconds(5)) { _ in loop.stop() }
      #expect(loop.run() == .stopped)
    }
  }

  @Test(
    "a run of one tick that is stopped, or has nothing left to wait for, performs everything",
    arguments: [true, false]
  )  // L8
  func onceForGood(isStopped: Bool) throws {
    try withLoop { loop in
      loop.budget = EventLoop.Budget(count: 1)
      var performed = 0
      loop.addObserver(for: .exit, repeats: false) { _ in
        for _ in 0..<3 { loop.commit { performed += 1 } }
      }
      if isStopped { loop.stop() }
      #expect(loop.run(.noWait) == (isStopped ? .stopped : .finished))
      #expect(performed == 3)
    }
  }

  @Test("what commits itself for ever does not hold a run that is stopped")  // L8
  func endless() throws {
    try withLoop { loop in
      var performed = 0
      func again() {
        performed += 1
        loop.commit { again() }
      }
      again()
      loop.addTimer(after: .zero) { _ in loop.stop() }
      #expect(loop.run() == .stopped)
      // What is left waits for the next run, which comes round for it.
      let before = performed
      #expect(loop.run(.once) == .ticked)
      #expect(performed > before)
    }
  }
}

@Suite("EventLoop.stop")
struct EventLoopStopTests {
  /// Where `stop` is called in a run.
  enum Place: CaseIterable, Sendable {
    case entry, timer, action, post, beforeWaiting, poll, afterWaiting
  }

  @Test("stop() ends the run after its tick, wherever it is called", arguments: Place.allCases)
  func places(place: Place) throws {  // L8
    try withLoop { loop in
      let port = loop.port
      var ticks: UInt64 = 0
      func stop() {
        ticks = loop.metrics.ticks
        loop.stop()
      }
      let smuggled = Smuggled(stop)
      let poll = ForeignHandle(.poll, on: loop.libuvLoop) { _ in stop() }
      switch place {
      case .entry: loop.addObserver(for: .entry, repeats: false) { _ in stop() }
      case .timer: loop.addTimer(after: .zero) { _ in stop() }
      case .action: loop.commit { stop() }
      case .post: try port.post { smuggled.value() }
      case .beforeWaiting: loop.addObserver(for: .beforeWaiting, repeats: false) { _ in stop() }
      case .poll: poll.start().send()
      case .afterWaiting:
        loop.addObserver(for: .afterWaiting, repeats: false) { _ in stop() }
        poll.start().send()
      }
      #expect(loop.run() == .stopped)
      #expect(loop.metrics.ticks <= ticks + 1)
      poll.close()
      #expect(loop.run(.noWait) == .ticked)
    }
  }

  @Test("stop() before a run ends the next one at once, and only that")  // L8
  func beforeRun() throws {
    try withLoop { loop in
      let port = loop.port
      loop.stop()
      #expect(loop.run() == .stopped)
      #expect(loop.metrics.ticks == 0)
      #expect(loop.run(.noWait) == .ticked)
      port.stop()
      #expect(loop.run() == .stopped)
      #expect(loop.metrics.ticks == 1)
      #expect(loop.run(.noWait) == .ticked)
    }
  }

  @Test("stop() from an exit observer does not end the next run")  // L8
  func fromExit() throws {
    try withLoop { loop in
      let port = loop.port
      loop.addObserver(for: .exit, repeats: false) { _ in loop.stop() }
      #expect(loop.run(.noWait) == .stopped)
      #expect(loop.run(.noWait) == .ticked)
      #expect(loop.metrics.ticks == 2)
      withExtendedLifetime(port) {}
    }
  }

  @Test("a port stops a blocked loop from another thread", arguments: WakeMethod.allCases)
  func otherThread(method: WakeMethod) throws {  // L2, L8
    try withLoop(method) { loop in
      let port = loop.port
      var thread: TestThread?
      loop.addObserver(for: .beforeWaiting, repeats: false) { _ in
        thread = TestThread { port.stop() }
      }
      #expect(loop.runInTime() == .stopped)
      thread?.join()
    }
  }

  @Test("a port stops a loop that always owes work, from another thread")  // L8
  func busyLoop() throws {
    try withLoop { loop in
      let port = loop.port
      var rounds = 0
      func again() {
        rounds += 1
        // The bound is for the failure: it can not be reached in good time.
        if rounds < 1_000_000 { loop.commit { again() } } else { loop.stop() }
      }
      again()
      let thread = TestThread { port.stop() }
      #expect(loop.run() == .stopped)
      thread.join()
      #expect(rounds < 1_000_000)
    }
  }

  @Test("a run that is stopped does not wait until other threads cease to post")  // L8
  func flood() throws {
    try withLoop { loop in
      let (port, ran) = (loop.port, Tally())
      // What it runs while it returns, others make up for twice over. The bound
      // is for the failure.
      @Sendable func post() {
        try? port.post {
          guard ran.increment() < 2000 else { return }
          TestThread.run {
            post()
            post()
          }
        }
      }
      TestThread.run { post() }
      loop.stop()
      #expect(loop.run() == .stopped)
      #expect((1...10).contains(ran.value))
      let before = ran.value
      loop.run(.noWait)
      #expect(ran.value > before)
    }
  }

  @Test("a signal handler stops and wakes a loop through its port")  // L2, L8
  func signalHandler() throws {
    var later: ForeignHandle?
    var raises = false
    try withAdoptedLoop(prepare: { host in
      // Runs after ours: the loop counts as asleep, and the poll is next.
      later = ForeignHandle(.prepare, on: host.address) { _ in
        if raises { Process.raiseSignal() }
        raises = false
      }
      later?.start()
    }) { _, loop in
      let port = loop.port
      let trace = Trace()
      trace.follow(loop, .beforeWaiting)
      loop.addObserver(for: .beforeWaiting) { _ in
        if trace.events.count == 2 { loop.stop() }
      }
      raises = true
      var result = Process.handlingSignals({ port.wake() }) { loop.runInTime() }
      #expect(result == .stopped)
      #expect(loop.metrics.wakesReceived == 1)
      raises = true
      result = Process.handlingSignals({ port.stop() }) { loop.runInTime() }
      #expect(result == .stopped)
      #expect(loop.metrics.wakesReceived == 2)
      later?.close()
    }
  }
}

@Suite("EventLoop.current")
struct CurrentLoopTests {
  @Test("a callback's loop is the current one, and the outer one again afterwards")  // L1
  func nested() throws {
    try withLoop { outer in
      let inner = try EventLoop()
      var seen: [ObjectIdentifier?] = []
      func note() { seen.append(EventLoop.current.map(ObjectIdentifier.init)) }
      outer.commit {
        note()
        inner.commit { note() }
        inner.run()
        note()
      }
      outer.run()
      try inner.close()
      #expect(seen == [outer, inner, outer].map(ObjectIdentifier.init))
    }
  }

  @Test("a thread that runs no loop has the one made last on it, until that is closed")  // L1
  func afterwards() throws {
    try withLoop { loop in #expect(EventLoop.current === loop) }
    #expect(EventLoop.current == nil)
  }

  @Test("a loop that was closed and dropped during another's run is not current after it")  // L1
  func closedMeanwhile() async {
    await #expect(processExitsWith: .success) {
      try withLoop { outer in
        var later: EventLoop? = try EventLoop()
        weak let dropped = later
        outer.commit {
          #expect(throws: Never.self) { try later?.close() }
          later = nil
        }
        outer.run()
        #expect(EventLoop.current === outer)
        #expect(dropped == nil)
      }
    }
  }

  @Test("another thread does not see this one's loop")  // L1
  func otherThread() throws {
    try withLoop { _ in
      let trace = Trace()
      TestThread.run { trace.record(EventLoop.current == nil ? "none" : "a loop") }
      #expect(trace.events == ["none"])
    }
  }
}
