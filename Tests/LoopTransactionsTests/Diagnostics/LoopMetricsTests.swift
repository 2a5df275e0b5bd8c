import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

private final class Label: Sendable {
  static let layout = Selector<Label>("metrics layout") { _ in }
}

/// A way to wake a loop.
enum Waking: Codable, CaseIterable, Sendable {
  case signal, interruptedPost, post, wake, descriptor, timer, preciseTimer
}

/// Makes a loop sleep for 50 ms and then compute for 20 ms. Returns whether its
/// metrics say so.
private func measuresSleep(wokenBy way: Waking) throws -> Bool {
  let loop = try EventLoop()
  loop.measuresTime = true
  loop.waitsForPosts = true
  var idle: Duration?
  let woke = Smuggled {
    if idle != nil { return }
    idle = loop.metrics.idle
    spin(for: .milliseconds(20))
    loop.stop()
  }
  let (start, pair, silent) = (LoopClock.now, SocketPair(), SocketPair())
  try prepare(loop, to: woke.value, way, pair)
  let (thread, port, far, quiet) = (pthread_self(), loop.port, pair.far, silent.near)
  let waker = TestThread {
    waitFor(quiet, .milliseconds(50))
    switch way {
    case .signal: pthread_kill(thread, SIGUSR2)
    case .interruptedPost:
      pthread_kill(thread, SIGUSR1)
      waitFor(quiet, .milliseconds(5))
      try? port.post { woke.value() }
    case .post: try? port.post { woke.value() }
    case .wake: port.wake()
    case .descriptor: SocketPair.write(1, to: far)
    case .timer, .preciseTimer: break
    }
  }
  loop.run()
  withExtendedLifetime((pair, silent)) { waker.join() }
  let (elapsed, metrics) = (start.duration(to: LoopClock.now), loop.metrics)
  try loop.close()
  #expect(metrics.busy >= .milliseconds(20) && metrics.busy + metrics.idle <= elapsed)
  // In the first callback after the sleep, its time was known.
  #expect(idle == metrics.idle)
  return metrics.idle >= .milliseconds(40) && metrics.busy < .milliseconds(30)
    && metrics.longestTick < .milliseconds(30)
}

/// Makes `loop` call `woke` if it is woken in this way.
private func prepare(
  _ loop: EventLoop,
  to woke: @escaping () -> Void,
  _ way: Waking,
  _ pair: SocketPair
) throws {
  switch way {
  case .signal:
    Process.unblock(SIGUSR2)
    try loop.onSignal(SIGUSR2, woke)
  case .interruptedPost:
    Process.unblock(SIGUSR1)
    signal(SIGUSR1) { _ in }
  case .post: break
  case .wake: loop.addObserver(for: .afterWaiting) { _ in woke() }
  case .descriptor: try loop.watch(pair.near, for: .readable) { _ in woke() }
  case .timer: loop.addTimer(after: .milliseconds(50)) { _ in woke() }
  case .preciseTimer:
    try loop.addPreciseTimer(at: loop.now.advanced(by: .milliseconds(50))) { _ in woke() }
  }
}

@Suite("LoopMetrics")
struct LoopMetricsTests {
  @Test("the counters of a new loop are zero")  // X1
  func fresh() throws {
    try withLoop { loop in
      #expect(loop.metrics.ticks == 0)
      #expect(loop.metrics.flushes == 0)
      #expect(loop.metrics == loop.awaitedPort.metrics)
    }
  }

  @Test("printed times say whether they were measured")
  func description() {
    var metrics = LoopMetrics()
    metrics.posts = 7
    #expect("\(metrics)".contains("posts: 7, "))
    let unmeasured = "busy: not measured, idle: not measured, longestTick: not measured"
    #expect("\(metrics)".hasSuffix(unmeasured))
    (metrics.busy, metrics.idle) = (.milliseconds(2), .seconds(1))
    let measured = "busy: 0.002 seconds, idle: 1.0 seconds, longestTick: 0.0 seconds"
    #expect("\(metrics)".hasSuffix(measured))
  }

  @Test("commits are counted as performed, coalesced, cancelled and dead")  // X1
  func transactions() throws {
    try withSteppedLoop { stepped in
      let loop = stepped.loop
      let labels = (0..<3).map { _ in Label() }
      for label in labels + labels { loop.commit(label, Label.layout) }
      loop.cancel(labels[0], Label.layout)
      var doomed: Label? = Label()
      let weak = doomed.map { Transaction($0, Label.layout, on: loop, hold: .weak) }
      weak?.commit()
      doomed = nil
      stepped.step()
      let metrics = loop.metrics
      #expect(metrics.performed == 2)
      #expect(metrics.coalesced == 3)
      #expect(metrics.cancelled == 1)
      #expect(metrics.dead == 1)
      #expect(metrics.flushes == 1)
      #expect(metrics.pendingTransactions == 0)
    }
  }

  @Test("work that is carried over is counted, and pending work is reported")  // X1, L9
  func carriedOver() throws {
    try withSteppedLoop { stepped in
      let (loop, port) = (stepped.loop, stepped.loop.awaitedPort)
      loop.budget = EventLoop.Budget(count: 1)
      for _ in 0..<3 { loop.commit(Label(), Label.layout) }
      for _ in 0..<3 { try port.post {} }
      stepped.step()
      #expect(loop.metrics.carriedOver == 2)
      #expect(loop.metrics.pendingTransactions == 2)
      #expect(loop.metrics.pendingPosts == 2)
      stepped.runUntilIdle()
      #expect(loop.metrics.pendingTransactions == 0)
      #expect(loop.metrics.pendingPosts == 0)
      #expect(loop.metrics.ticks == 3)
      #expect(loop.metrics.flushes == 3)
    }
  }

  @Test("elements delivered by queues are counted")  // X1
  func delivered() throws {
    try withSteppedLoop { stepped in
      let queue = RunLoopQueue<Label>(on: stepped.loop, batchSize: 2) { _, _ in }
      for _ in 0..<5 { queue.enqueue(Label()) }
      stepped.runUntilIdle()
      #expect(stepped.loop.metrics.delivered == 5)
    }
  }

  @Test("times are zero unless they are measured")  // X1
  func unmeasured() throws {
    try withSteppedLoop { stepped in
      stepped.loop.commit { stepped.spend(.milliseconds(3)) }
      stepped.step()
      #expect(stepped.loop.metrics.busy == .zero)
      #expect(stepped.loop.metrics.longestTick == .zero)
    }
  }

  @Test("a poll that a stop keeps from blocking is not idle time")  // X1
  func stoppedPoll() throws {
    let host = ForeignLoop()
    // An older handle runs after the loop's own, between its tick and the poll.
    let older = ForeignHandle(.prepare, on: host.address) { _ in spin(for: .milliseconds(5)) }
    older.start()
    let loop = try EventLoop(adopting: host.address)
    loop.measuresTime = true
    loop.commit { host.stop() }
    host.run()
    #expect(loop.metrics.ticks == 1)
    #expect(loop.metrics.idle == .zero)
    older.close()
    try loop.close()
    #expect(host.close())
  }

  @Test("busy time is spent in callbacks, idle time in the poll")  // X1
  func times() throws {
    try withSteppedLoop { stepped in
      let loop = stepped.loop
      loop.measuresTime = true
      stepped.step()
      for milliseconds in [3, 7, 2] {
        loop.commit { stepped.spend(.milliseconds(milliseconds)) }
        stepped.step()
      }
      #expect(loop.metrics.busy == .milliseconds(12))
      #expect(loop.metrics.longestTick == .milliseconds(7))
      #expect(loop.metrics.idle == .zero)
    }
  }

  @Test("time between two runs is neither busy nor idle")  // X1
  func timesApart() throws {
    try withSteppedLoop { stepped in
      let loop = stepped.loop
      loop.measuresTime = true
      for run in [{ stepped.step() }, { loop.run(.noWait) }, { loop.run() }] {
        loop.commit { stepped.spend(.milliseconds(2)) }
        run()
        stepped.spend(.seconds(60))
      }
      #expect(loop.metrics.busy == .milliseconds(6))
      #expect(loop.metrics.idle == .zero)
      #expect(loop.metrics.longestTick == .milliseconds(2))
    }
  }

  @Test("time in entry and exit observers is busy time")  // X1, L8
  func timesAtExit() throws {
    try withSteppedLoop { stepped in
      let loop = stepped.loop
      loop.measuresTime = true
      for activities in [EventLoop.Activity.entry, .exit] {
        loop.addObserver(for: activities) { _ in stepped.spend(.milliseconds(3)) }
      }
      loop.run()
      #expect(loop.metrics.busy == .milliseconds(6))
    }
  }

  @Test("idle time is the time a loop waits, in every run mode")  // X1
  func idle() throws {
    try withLoop { loop in
      loop.measuresTime = true
      // Each part is repeated, because this process may lose the processor for
      // longer than 10 ms.
      let isIdle = inTime {
        let before = loop.metrics
        loop.addTimer(after: .milliseconds(20)) { _ in }
        loop.run()
        return loop.metrics.idle - before.idle > .milliseconds(10)
      }
      // Time between two runs of an owned loop is neither busy nor idle.
      let isNeither = inTime {
        let before = loop.metrics
        spin(for: .milliseconds(20))
        loop.run(.noWait)
        let (busy, idle) = (loop.metrics.busy - before.busy, loop.metrics.idle - before.idle)
        return busy < .milliseconds(10) && idle < .milliseconds(10)
      }
      #expect(isIdle && isNeither)
    }
  }

  @Test("time in posts, timers and foreign callbacks is busy time")  // X1
  func busyInPoll() throws {
    try withLoop { loop in
      let start = LoopClock.now
      loop.measuresTime = true
      let port = loop.awaitedPort
      let poll = ForeignHandle(.poll, on: loop.libuvLoop) { handle in
        handle.stop()
        spin(for: .milliseconds(20))
        TestThread.run { try? port.post { spin(for: .milliseconds(30)) } }
        loop.addTimer(after: .milliseconds(1)) { _ in
          spin(for: .milliseconds(10))
          loop.stop()
        }
      }
      poll.start().send()
      #expect(loop.runInTime() == .stopped)
      poll.close()
      // A wait can be measured as up to 1 ms too long, because libuv's clock has whole
      // milliseconds. The loop waits at most twice.
      #expect(loop.metrics.busy >= .milliseconds(58))
      #expect(loop.metrics.longestTick >= .milliseconds(20))
      // Idle time has no fixed limit, because this process may lose the
      // processor while the loop polls.
      let elapsed = start.duration(to: LoopClock.now)
      #expect(loop.metrics.busy + loop.metrics.idle <= elapsed)
    }
  }

  // X1. In a process of its own, because a signal's disposition is the process's.
  @Test("the sleep of a loop is idle time, for each way of waking it", arguments: Waking.allCases)
  func waking(_ way: Waking) async {
    await #expect(processExitsWith: .success) { [way] in
      Process.endInTime()
      // Repeated, because the process may lose the processor for longer than 10 ms.
      while try !measuresSleep(wokenBy: way) {}
    }
  }

  @Test(
    "a wake counts as needed if it finds pending work, and not if it comes late",
    .enabled(if: Interposed.isAvailable)
  )  // X1
  func wakesNeeded() throws {
    try withLoop { loop in
      let port = loop.awaitedPort
      let late = ForeignHandle(.poll, on: loop.libuvLoop) { _ in }
      TestThread.run { port.wake() }
      loop.run(.noWait)
      let before = loop.metrics
      Interposed.beforeBlocking({ _ in TestThread.run { try? port.post {} } }) { loop.run(.once) }
      let metrics = loop.metrics
      #expect(metrics.wakesReceived - before.wakesReceived == 1)
      #expect(metrics.wakesNeeded - before.wakesNeeded == 1)
      late.close()
    }
  }

  @Test("elements waiting in queues are reported")  // X1
  func pendingElements() throws {
    try withSteppedLoop { stepped in
      let first = RunLoopQueue<Label>(on: stepped.loop) { _, _ in }
      let second = RunLoopQueue<Label>(on: stepped.loop) { _, _ in }
      for _ in 0..<3 { first.enqueue(Label()) }
      second.enqueue(Label())
      #expect(stepped.loop.metrics.pendingElements == 4)
      stepped.step()
      #expect(stepped.loop.metrics.pendingElements == 2)
      #expect(stepped.loop.awaitedPort.metrics.pendingElements == 2)
    }
  }
}
