import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("EventLoop.stop")
struct EventLoopStopTests {
  /// The places in a run from which `stop` is called.
  enum Place: CaseIterable, Sendable {
    case entry, timer, action, post, beforeWaiting, poll, afterWaiting
  }

  @Test(
    "stop() ends the run after the current tick, wherever it is called",
    arguments: Place.allCases
  )
  func places(place: Place) throws {  // L8
    try withLoop { loop in
      let port = loop.awaitedPort
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

  @Test("stop() before a run ends only the next run, immediately")  // L8
  func beforeRun() throws {
    try withLoop { loop in
      let port = loop.awaitedPort
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

  @Test("stop() in an exit observer does not end the next run")  // L8
  func fromExit() throws {
    try withLoop { loop in
      let port = loop.awaitedPort
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
      let port = loop.awaitedPort
      var thread: TestThread?
      loop.addObserver(for: .beforeWaiting, repeats: false) { _ in
        thread = TestThread { port.stop() }
      }
      #expect(loop.runInTime() == .stopped)
      thread?.join()
    }
  }

  @Test("a port stops a loop that always has pending work, from another thread")  // L8
  func busyLoop() throws {
    try withLoop { loop in
      let port = loop.awaitedPort
      var rounds = 0
      func again() {
        rounds += 1
        // The bound makes the test fail rather than hang. A passing run does
        // not reach it.
        if rounds < 1_000_000 { loop.commit { again() } } else { loop.stop() }
      }
      again()
      let thread = TestThread { port.stop() }
      #expect(loop.run() == .stopped)
      thread.join()
      #expect(rounds < 1_000_000)
    }
  }

  @Test("a stopped run returns while other threads keep posting")  // L8
  func flood() throws {
    try withLoop { loop in
      let (port, ran) = (loop.awaitedPort, Tally())
      // Each post that runs creates two more. The bound makes the test fail
      // rather than hang.
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
      // libuv calls this handle after the loop's own handle, just before the
      // poll. The loop counts as asleep at this point.
      later = ForeignHandle(.prepare, on: host.address) { _ in
        if raises { Process.raiseSignal() }
        raises = false
      }
      later?.start()
    }) { _, loop in
      let port = loop.awaitedPort
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
