import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("Adopted loop: fork")
struct AdoptedLoopForkTests {
  /// The work that is pending in the parent when it forks.
  enum Work: String, CaseIterable, Codable, Sendable {
    case transaction, post, otherPost, delayedPost, element, timer, preciseTimer, observer, idle

    /// Adds the work to `loop`. Returns an object to keep alive until it is
    /// performed.
    fileprivate func add(to loop: EventLoop, _ body: @escaping () -> Void) throws -> AnyObject? {
      let (port, smuggled) = (loop.awaitedPort, Smuggled(body))
      switch self {
      case .transaction: loop.commit(body)
      case .post: try port.post { smuggled.value() }
      case .otherPost: TestThread.run { try? port.post { smuggled.value() } }
      case .delayedPost: try port.post(after: .milliseconds(1)) { smuggled.value() }
      case .idle: loop.whenIdle(body)
      case .element:
        let queue = RunLoopQueue<Witness>(on: loop) { _, _ in body() }
        queue.enqueue(Witness {})
        return queue
      case .timer: loop.addTimer(after: .zero) { _ in body() }
      case .preciseTimer: try loop.addPreciseTimer(at: loop.now) { _ in body() }
      case .observer: loop.addObserver(for: .beforeWaiting, repeats: false) { _ in body() }
      }
      return nil
    }
  }

  @Test(
    "a parent performs its pending work once, and a child that runs the host's loop never does",
    arguments: Work.allCases
  )  // L12
  func performedOnce(work: Work) async {
    await #expect(processExitsWith: .success) { [work] in
      try withAdoptedLoop { host, loop in
        // Poll once, so that the poll has registered its descriptors before the
        // fork.
        host.run(.noWait)
        let performed = Tally()
        let kept = try work.add(to: loop) {
          performed.increment()
          loop.stop()
        }
        let ending = Process.fork {
          Process.endInTime()
          host.takeOver()
          host.run()
          host.run(.noWait)
          System.logToStandardError("performed \(performed.value)")
        }
        #expect(ending.status == 0)
        #expect(ending.standardError == "performed 0\n")
        let guardian = ForeignHandle(.timer, on: host.address) { _ in host.stop() }
        guardian.start(afterMilliseconds: 10_000)
        host.run()
        guardian.close()
        #expect(performed.value == 1)
        withExtendedLifetime(kept) {}
      }
    }
  }

  @Test(
    "a child that runs the host's loop sees none of its parent's wakes, and waits for none",
    .enabled(if: Interposed.isAvailable)
  )  // L12
  func wakes() async {
    await #expect(processExitsWith: .success) {
      try withAdoptedLoop { host, loop in
        let port = loop.awaitedPort
        // Wake the loop twice. It reads only the first wake, so the second wake
        // is still unread in the child.
        for _ in 0..<2 {
          Interposed.beforeBlocking({ _ in TestThread.run { port.wake() } }) {
            _ = host.run(.once)
          }
        }
        let before = loop.metrics.wakesReceived
        let ending = Process.fork {
          Process.endInTime()
          host.takeOver()
          #expect(!host.run())
          System.logToStandardError("woken \(loop.metrics.wakesReceived - before)")
        }
        #expect(ending.standardError == "woken 0\n")
        // The parent's poll still watches its descriptors.
        var thread: TestThread?
        loop.addObserver(for: .beforeWaiting, repeats: false) { _ in
          thread = TestThread { port.stop() }
        }
        #expect(loop.runInTime() == .stopped)
        thread?.join()
      }
    }
  }

  @Test(
    "a child's commit to its host's loop does not make the loop spin or run forever",
    arguments: [0, 1]
  )  // L7, L12
  func childCommits(firstTick: Int) async {
    await #expect(processExitsWith: .success) { [firstTick] in
      try withAdoptedLoop { host, loop in
        let ending = Process.fork {
          Process.endInTime()
          host.takeOver()
          var ticks = 0
          let timer = ForeignHandle(.timer, on: host.address) { timer in
            if ticks >= firstTick { loop.commit { System.logToStandardError("performed") } }
            if ticks == 0 { timer.start(afterMilliseconds: 1) } else { timer.close() }
          }
          timer.start()
          let prepare = ForeignHandle(.prepare, on: host.address) { _ in ticks += 1 }
          prepare.start()
          prepare.keepsLoopAlive(false)
          host.run()
          System.logToStandardError("few ticks: \(ticks < 10)")
        }
        #expect(ending.status == 0)
        #expect(ending.standardError == "few ticks: true\n")
      }
    }
  }

  @Test(
    "a child that closed the inherited loop runs the host's loop without the parent's events",
    arguments: [false, true]
  )  // L11, L12
  func childCloses(takesOverFirst: Bool) async {
    await #expect(processExitsWith: .success) { [takesOverFirst] in
      try withAdoptedLoop { host, loop in
        let port = loop.awaitedPort
        try loop.addPreciseTimer(at: loop.now.advanced(by: .milliseconds(20))) { _ in }
        host.run(.noWait)
        let ending = Process.fork {
          Process.endInTime()
          if takesOverFirst { host.takeOver() }
          #expect(throws: Never.self) { try loop.close() }
          if !takesOverFirst { host.takeOver() }
          // The parent waits for the child and reads neither descriptor, so
          // both stay readable.
          let end = LoopClock.now.advanced(by: .milliseconds(30))
          while LoopClock.now < end {}
          #expect(!host.run())
        }
        #expect(ending.status == 0)
        withExtendedLifetime(port) {}
      }
    }
  }

  @Test("a child that continues its parent's run traps with the reason")  // L12
  func childRunsOn() async {
    await #expect(processExitsWith: .success) {
      try withLoop { loop in
        var ending: Process.Ending?
        loop.addObserver(for: .afterWaiting, repeats: false) { _ in
          ending = Process.fork {
            // This commit makes the run begin a tick: libuv makes no tick for a
            // loop without work.
            loop.commit {}
            ForeignLoop.tick(loop.libuvLoop)
          }
        }
        loop.commit {}
        loop.run()
        let text = ending?.standardError ?? ""
        #expect(text.contains("EventLoop.run: the loop belongs to the parent process"))
      }
    }
  }
}
