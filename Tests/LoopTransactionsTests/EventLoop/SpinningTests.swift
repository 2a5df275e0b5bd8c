import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("EventLoop: spinsBeforeBlocking", .enabled(if: ActiveCores.allowed > 1))
struct SpinningTests {
  private static let longest = Duration.milliseconds(1)

  /// Sets `loop` to spin for as long as it may, and calls `body` when it spins
  /// for the first time.
  private func spin(_ loop: EventLoop, _ body: @escaping () -> Void = {}) -> Tally {
    let rounds = Tally()
    // The kernel learns of the loop's own watcher in the first poll.
    loop.run(.noWait)
    loop.spinsBeforeBlocking = Self.longest
    loop.whileSpinning = { if rounds.increment() == 1 { body() } }
    return rounds
  }

  @Test("a post that arrives while the loop spins runs without a wake", arguments: [true, false])
  func post(isWhole: Bool) throws {  // L6, L15
    try withLoop { loop in
      let (port, trace) = (loop.awaitedPort, Trace())
      let rounds = spin(loop) {
        TestThread.run {
          try? port.post {
            trace.record("post")
            port.stop()
          }
        }
      }
      loop.addObserver(for: .afterWaiting, repeats: false) { _ in trace.record("polled") }
      if isWhole { #expect(loop.runInTime() == .stopped) } else { loop.run(.once) }
      // It runs before the poll, which does not block.
      #expect(trace.events == ["post", "polled"])
      #expect(rounds.value == 1)
      #expect(loop.metrics.posts == 1 && loop.metrics.wakesSent == 0)
    }
  }

  @Test(
    "a loop that spun in vain blocks, and a post wakes it",
    .enabled(if: Interposed.isAvailable)
  )  // L6, L15
  func inVain() throws {
    try withLoop { loop in
      let port = loop.awaitedPort
      let rounds = spin(loop)
      var roundsBeforeBlocking = 0
      Interposed.beforeBlocking({ _ in
        guard roundsBeforeBlocking == 0 else { return }
        roundsBeforeBlocking = rounds.value
        TestThread.run { try? port.post { port.stop() } }
      }) { #expect(loop.runInTime() == .stopped) }
      #expect(roundsBeforeBlocking > 0)
      #expect(loop.metrics.posts == 1 && loop.metrics.wakesSent == 1)
    }
  }

  @Test(
    "spinning does not delay a timer",
    .enabled(if: Interposed.isAvailable)
  )  // L13, L15
  func timers() throws {
    try withLoop { loop in
      let port = loop.awaitedPort
      let rounds = spin(loop) {
        let end = loop.now.advanced(by: .milliseconds(20))
        while loop.now < end {}
      }
      loop.addTimer(after: .seconds(60)) { _ in }
      var timeouts: [Int] = []
      Interposed.beforeBlocking({ timeout in
        timeouts.append(timeout)
        TestThread.run { port.stop() }
      }) { loop.run(.once) }
      #expect(timeouts.count == 1 && rounds.value == 1)
      // Without the 20 ms. libuv rounds the time of the timer up.
      #expect(timeouts.allSatisfy { $0 <= 60_001 - 20 }, "\(timeouts)")
    }
  }

  #if os(Linux)
    @Test("a loop spins on a thread that is pinned to one CPU")  // L15
    func pinned() async {
      await #expect(processExitsWith: .success) {
        let trace = Trace()
        TestThread.run {
          #expect(Process.useOneProcessor())
          try? withLoop { loop in
            let (port, rounds) = (loop.awaitedPort, Tally())
            loop.run(.noWait)
            loop.spinsBeforeBlocking = .milliseconds(1)
            loop.whileSpinning = {
              if rounds.increment() == 1 { TestThread.run { port.stop() } }
            }
            // Ends the run if the loop does not spin.
            loop.addTimer(after: .seconds(10)) { _ in }
            loop.run(.once)
            trace.record("\(rounds.value) round, \(loop.metrics.wakesSent) wakes")
          }
        }
        #expect(trace.events == ["1 round, 0 wakes"])
      }
    }

    @Test("a loop does not spin while all threads of the process may use only one CPU")  // L15
    func oneProcessor() async {
      await #expect(processExitsWith: .success) {
        #expect(Process.useOneProcessorInAllThreads())
        try withLoop { loop in
          let (port, rounds) = (loop.awaitedPort, Tally())
          loop.run(.noWait)
          loop.spinsBeforeBlocking = .milliseconds(1)
          loop.whileSpinning = { _ = rounds.increment() }
          loop.addTimer(after: .milliseconds(1)) { _ in }
          loop.run(.once)
          #expect(rounds.value == 0)
          withExtendedLifetime(port) {}
        }
      }
    }
  #endif

  @Test("a post that an adopted loop finds by spinning makes no wake")  // L15
  func adopted() throws {
    try withAdoptedLoop { _, loop in
      let port = loop.awaitedPort
      let rounds = spin(loop) { TestThread.run { try? port.post {} } }
      loop.run(.once)
      #expect(rounds.value == 1)
      #expect(loop.metrics.posts == 1 && loop.metrics.wakesSent == 0)
    }
  }

  @Test("stop() and wake() of a port end the spinning without a wake")  // L8, L15
  func requests() throws {
    try withLoop { loop in
      let port = loop.awaitedPort
      let stopped = spin(loop) { TestThread.run { port.stop() } }
      #expect(loop.runInTime() == .stopped)
      #expect(stopped.value == 1)
      let woken = spin(loop) { TestThread.run { port.wake() } }
      loop.run(.once)
      #expect(woken.value == 1)
      #expect(loop.metrics.wakesSent == 0)
    }
  }

  @Test(
    "commits of a post that the loop found by spinning are performed before it blocks",
    .enabled(if: Interposed.isAvailable)
  )  // L5, L15
  func commits() throws {
    try withLoop { loop in
      let (port, trace) = (loop.awaitedPort, Trace())
      let loop = Smuggled(loop)
      _ = spin(loop.value) {
        TestThread.run {
          try? port.post {
            loop.value.commit {
              trace.record("commit")
              port.stop()
            }
          }
        }
      }
      Interposed.beforeBlocking({ _ in trace.record("blocks") }) {
        #expect(loop.value.runInTime() == .stopped)
      }
      #expect(trace.events == ["commit"])
    }
  }

  @Test("while its ticks are measured, a loop that spins runs a post in the next tick")  // L15
  func measured() throws {
    try withLoop { loop in
      let (port, trace) = (loop.awaitedPort, Trace())
      _ = spin(loop) { TestThread.run { try? port.post { port.stop() } } }
      loop.tickHandler = { trace.record("\($0.count(of: .post))") }
      #expect(loop.runInTime() == .stopped)
      #expect(trace.events.prefix(2) == ["0", "1"])
      #expect(loop.metrics.wakesSent == 0)
    }
  }

  @Test("a loop does not spin by default, nor if its poll will not block")  // L7, L15
  func doesNotSpin() throws {
    try withLoop { loop in
      let port = loop.awaitedPort
      #expect(loop.spinsBeforeBlocking == .zero)
      let rounds = spin(loop)
      loop.spinsBeforeBlocking = .zero
      loop.addTimer(after: .milliseconds(1)) { _ in }
      loop.run(.once)
      loop.spinsBeforeBlocking = Self.longest
      loop.run(.noWait)
      // Since libuv 1.45, the timer stops the run before its first tick.
      loop.addTimer(after: .zero) { _ in loop.stop() }
      let isDue = loop.now.advanced(by: .milliseconds(3))
      while loop.now < isDue {}
      #expect(loop.run() == .stopped)
      loop.post { port.stop() }
      #expect(loop.runInTime() == .stopped)
      loop.waitsForPosts = false
      // Nothing is left to wait for.
      #expect(loop.run() == .finished)
      #expect(rounds.value == 0)
    }
  }

  @Test("a loop that is embedded, stepped, or run by its owner does not spin")  // L15
  func foreign() throws {
    try withLoop { loop in
      let rounds = spin(loop)
      let embedding = Embedding(loop)
      embedding.turn()
      embedding.cancel()
      #expect(rounds.value == 0)
    }
    try withSteppedLoop { stepped in
      let rounds = spin(stepped.loop)
      stepped.loop.waitsForPosts = true
      let port = stepped.loop.port
      stepped.step()
      withExtendedLifetime(port) {}
      #expect(rounds.value == 0)
    }
    try withAdoptedLoop { host, loop in
      let port = loop.awaitedPort
      let rounds = spin(loop)
      TestThread.run { port.stop() }
      _ = host.run()
      #expect(rounds.value == 0)
    }
  }

  @Test(
    "a duration below zero or over 1 ms traps",
    arguments: [Duration.milliseconds(-1), .microseconds(1001)]
  )  // L15
  func traps(duration: Duration) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [duration] in
      try withLoop { $0.spinsBeforeBlocking = duration }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("EventLoop.spinsBeforeBlocking: must be from zero to 1 ms"))
  }

  @Test("a duration from zero to 1 ms is kept to the nanosecond")  // L15
  func value() throws {
    try withLoop { loop in
      for duration in [Self.longest, .nanoseconds(1), .zero] {
        loop.spinsBeforeBlocking = duration
        #expect(loop.spinsBeforeBlocking == duration)
      }
    }
  }
}
