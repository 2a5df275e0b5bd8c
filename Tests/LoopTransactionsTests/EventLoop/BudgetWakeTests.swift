import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

/// Keeps the processor busy for the given number of milliseconds.
private func spin(_ milliseconds: Int) {
  let end = LoopClock.now.advanced(by: .milliseconds(milliseconds))
  while LoopClock.now < end {}
}

@Suite("Budget: ticks that begin with a wake")
struct BudgetWakeTests {
  /// Runs a loop until the last of `commits` has been performed. `posts` end
  /// the loop's first poll, and `commits` are committed directly after that
  /// poll.
  private func trace(
    _ budget: EventLoop.Budget,
    posts: [String],
    commits: [String],
    each work: @escaping @Sendable (_ name: String) -> Void = { _ in }
  ) throws -> [String] {
    let trace = Trace()
    var port: LoopPort?
    var later: ForeignHandle?
    try withAdoptedLoop(prepare: { host in
      // libuv calls this handle after the loop's own handle. The loop counts as
      // asleep at this point, so a post sends a wake.
      later = ForeignHandle(.prepare, on: host.address) { handle in
        handle.stop()
        TestThread.run { [port] in
          for name in posts {
            try? port?.post {
              trace.record(name)
              work(name)
            }
          }
        }
      }
      later?.start()
    }) { _, loop in
      port = loop.awaitedPort
      loop.budget = budget
      trace.follow(loop, .beforeWaiting)
      loop.addObserver(for: .afterWaiting, repeats: false) { _ in
        for name in commits {
          loop.commit {
            trace.record(name)
            work(name)
            if name == commits.last { loop.stop() }
          }
        }
      }
      #expect(loop.runInTime() == .stopped)
      #expect(loop.metrics.wakesReceived == 1)
      later?.close()
      port = nil
    }
    return trace.events
  }

  @Test("posts that arrived with a wake count towards the next flush's count budget")  // L9
  func count() throws {
    let events = try trace(
      EventLoop.Budget(time: .seconds(3600), count: 3),
      posts: ["P1", "P2"],
      commits: ["T1", "T2", "T3"]
    )
    let expected = [
      "beforeWaiting", "P1", "P2", "beforeWaiting", "T1", "beforeWaiting", "T2", "T3",
    ]
    #expect(events == expected)
  }

  @Test("the time of posts that arrived with a wake counts towards the next flush's budget")
  func time() throws {  // L9
    let events = try trace(
      EventLoop.Budget(time: .milliseconds(20)),
      posts: ["P1"],
      commits: ["T1", "T2"]
    ) { name in
      // Each item takes so long that the loop reads the clock after it.
      spin(name == "P1" ? 20 : 1)
    }
    #expect(events == ["beforeWaiting", "P1", "beforeWaiting", "T1", "beforeWaiting", "T2"])
  }

  @Test("posts of over 1 ms that arrived with a wake refresh libuv's clock")  // L9
  func refreshesClockAfterWake() throws {
    let times = Trace()
    var port: LoopPort?
    var later: ForeignHandle?
    try withAdoptedLoop(prepare: { host in
      let milliseconds = Smuggled { host.milliseconds }
      // libuv calls this handle after the loop's own handle. The loop counts as
      // asleep at this point, so a post sends a wake.
      later = ForeignHandle(.prepare, on: host.address) { _ in
        TestThread.run { [port] in
          try? port?.post {
            times.record("\(milliseconds.value())")
            let end = LoopClock.now.advanced(by: .milliseconds(5))
            while LoopClock.now < end {}
          }
        }
      }
      later?.start()
    }) { host, loop in
      port = loop.awaitedPort
      loop.addObserver(for: .afterWaiting) { _ in times.record("\(host.milliseconds)") }
      loop.run(.once)
      #expect(loop.metrics.wakesReceived == 1)
      later?.close()
      port = nil
    }
    let readings = times.events.compactMap { UInt64($0) }
    try #require(readings.count == 2)
    #expect(readings[1] >= readings[0] + 4)
  }
}
