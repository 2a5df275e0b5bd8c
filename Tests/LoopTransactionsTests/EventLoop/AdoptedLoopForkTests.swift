import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("An adopted loop, forked")
struct AdoptedLoopForkTests {
  /// What a parent leaves to be done when it forks.
  enum Work: String, CaseIterable, Codable, Sendable {
    case transaction, post, otherPost, element, timer, preciseTimer, observer

    /// Adds it to `loop`; what has to be kept meanwhile.
    fileprivate func add(to loop: EventLoop, _ body: @escaping () -> Void) throws -> AnyObject? {
      let (port, smuggled) = (loop.awaitedPort, Smuggled(body))
      switch self {
      case .transaction: loop.commit(body)
      case .post: try port.post { smuggled.value() }
      case .otherPost: TestThread.run { try? port.post { smuggled.value() } }
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
    "what a parent owes it performs once, and a child that runs the host's loop never",
    arguments: Work.allCases
  )  // L12
  func performedOnce(work: Work) async {
    await #expect(processExitsWith: .success) { [work] in
      try withAdoptedLoop { host, loop in
        // The poll knows what it watches before the fork, as it mostly does.
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
    "a child that runs the host's loop sees no wake of its parent's, nor waits for one",
    .enabled(if: Interposed.isAvailable)
  )  // L12
  func wakes() async {
    await #expect(processExitsWith: .success) {
      try withAdoptedLoop { host, loop in
        let port = loop.awaitedPort
        // The loop has been woken once, and will not read the wakes that follow.
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
        // The parent's poll watches still.
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
    "a child's commit to its host's loop makes it neither spin nor run for ever",
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
    "a child that closed what it inherited runs the host's loop, and sees no event of the parent's",
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
          // Both descriptors are readable; the parent, who waits, reads neither.
          let end = LoopClock.now.advanced(by: .milliseconds(30))
          while LoopClock.now < end {}
          #expect(!host.run())
        }
        #expect(ending.status == 0)
        withExtendedLifetime(port) {}
      }
    }
  }

  @Test("a child that goes on with a run of its parent's is told that it can not")  // L12
  func childRunsOn() async {
    await #expect(processExitsWith: .success) {
      try withLoop { loop in
        var ending: Process.Ending?
        loop.addObserver(for: .afterWaiting, repeats: false) { _ in
          ending = Process.fork {
            // libuv makes no tick for a loop that has nothing to do.
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
