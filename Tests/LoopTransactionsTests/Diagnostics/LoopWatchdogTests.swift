import TestSupport
import Testing

@testable import LoopTransactions
@testable import LoopTransactionsTesting

#if canImport(Glibc)
  import Glibc
#endif

/// Collects the reports of a watchdog.
private final class Holds: Sendable {
  private let all = Locked<[LoopHold]>([])

  /// Returns a watchdog that adds its reports.
  func watchdog(threshold: Duration = .milliseconds(400)) throws -> LoopWatchdog {
    try LoopWatchdog(threshold: threshold) { [all] hold in all.withLock { $0.append(hold) } }
  }

  var running: [LoopHold] { all.withLock { $0.filter { !$0.isOver } } }
  var over: [LoopHold] { all.withLock { $0.filter(\.isOver) } }

  /// Computes until a tick was reported while it runs, for at most ten minutes.
  func computeUntilReported() {
    let end = System.nanoseconds + 600_000_000_000
    while running.isEmpty, System.nanoseconds < end { compute() }
  }
}

extension LoopTransactions.LoopThread {
  /// Starts a thread whose loop `watchdog` watches, without a budget.
  fileprivate static func watched(
    _ name: String,
    by watchdog: LoopWatchdog?
  ) throws -> LoopTransactions.LoopThread {
    let thread = try LoopTransactions.LoopThread(name: name)
    try thread.port.postAndWait {
      EventLoop.current?.budget = .unlimited
      EventLoop.current?.watchdog = watchdog
    }
    return thread
  }

  fileprivate func end() throws {
    stop()
    try join()
  }
}

// The thresholds are so long that a busy machine does not change the largest
// cause: each thread gets a CPU within a fraction of them.
@Suite("Watchdog")
struct LoopWatchdogTests {
  @Test("a tick that computes is reported while it runs and when it has ended")  // X4
  func computing() throws {
    let holds = Holds()
    let thread = try LoopTransactions.LoopThread.watched("held", by: holds.watchdog())
    let line = #line + 1
    try thread.port.post { holds.computeUntilReported() }
    #expect(inTime { holds.over.count == 1 })
    let (first, last) = (try #require(holds.running.first), try #require(holds.over.first))
    #expect(first.work.description.hasSuffix("LoopWatchdogTests.swift:\(line)"))
    #expect(first.work.kind == .post)
    #expect(first.thread == "held")
    #expect(first.isOnePiece)
    #expect(first.duration >= .milliseconds(400))
    #expect(last.work == first.work)
    #expect(last.duration >= first.duration)
    if case .blocked = last.cause { Issue.record("the thread never blocked: \(last)") }
    #expect(last.cpuTime > .zero)
    try thread.end()
    #expect(holds.running.count == 1)
    #expect(holds.over.count == 1)
  }

  @Test("a tick that is blocked names the system call")  // X4
  func blocked() throws {
    let (holds, pair) = (Holds(), SocketPair())
    let thread = try LoopTransactions.LoopThread.watched("reader", by: holds.watchdog())
    let descriptor = pair.near
    try thread.port.post {
      var byte: UInt8 = 0
      _ = read(descriptor, &byte, 1)
    }
    #expect(inTime { !holds.running.isEmpty })
    pair.send()
    #expect(inTime { holds.over.count == 1 })
    let last = try #require(holds.over.first)
    #expect(last.cause == .blocked(in: "read"))
    #expect(last.description.contains("blocked in read"))
    try thread.end()
  }

  @Test("a tick that waits for a lock is blocked in futex")  // X4
  func locked() throws {
    let (holds, lock) = (Holds(), Locked(0))
    let thread = try LoopTransactions.LoopThread.watched("waiting", by: holds.watchdog())
    try lock.withLock { _ in
      try thread.port.post { lock.withLock { $0 += 1 } }
      #expect(inTime { !holds.running.isEmpty })
    }
    #expect(inTime { holds.over.count == 1 })
    #expect(holds.over.first?.cause == .blocked(in: "futex"))
    try thread.end()
  }

  @Test("a tick of many short pieces is reported as such, with the piece that took most")  // X4
  func manyPieces() throws {
    let holds = Holds()
    let thread = try LoopTransactions.LoopThread.watched("busy", by: holds.watchdog())
    // On a busy machine, a piece or the watchdog may have no CPU for most of the tick, which
    // then counts as one piece. The loop is held again.
    for _ in 1...1000 where holds.over.last?.isOnePiece != false {
      let (running, over) = (holds.running.count, holds.over.count)
      // One tick runs them all, because they wait until the last was posted.
      try thread.port.postAndWait {
        for _ in 0..<1000 {
          try? EventLoop.current?.port.post { if holds.running.count == running { compute() } }
        }
      }
      #expect(inTime { holds.over.count > over })
    }
    let last = try #require(holds.over.last)
    #expect(!last.isOnePiece)
    #expect(last.work.kind == .post)
    #expect(last.description.contains("many short pieces of work, such as post"))
    #expect(last.works.reduce(0) { $0 + $1.share } <= 1.001)
    try thread.end()
  }

  @Test("a hold is reported for its loop, although a neighbour is busy")  // X4
  func neighbours() throws {
    let holds = Holds()
    let watchdog = try holds.watchdog()
    let held = try LoopTransactions.LoopThread.watched("held", by: watchdog)
    let busy = try LoopTransactions.LoopThread.watched("busy", by: watchdog)
    let (tally, gate) = (Tally(), Gate())
    try held.port.post { _ = gate.waitInTime() }
    // Short ticks without a pause.
    try busy.port.postAndWait {
      _ = EventLoop.current?.addTimer(after: .zero, every: .milliseconds(1)) { _ in
        tally.increment()
      }
      return
    }
    #expect(inTime { holds.running.contains { $0.thread == "held" } && tally.value > 100 })
    gate.open()
    #expect(inTime { holds.over.contains { $0.thread == "held" } })
    #expect(holds.over.filter { $0.thread == "held" }.allSatisfy { $0.work.kind == .post })
    try busy.end()
    try held.end()
  }

  @Test("a hold names the thread of its turn, although the host changes threads")  // X4, C8
  func changingThreads() async throws {
    let (holds, queue, turns) = (Holds(), QueueHost(), Tally())
    let watchdog = try holds.watchdog()
    func runner(until turn: Int) throws -> JoinableThread {
      try JoinableThread("turn \(turn)", for: "test") {
        #expect(queue.run { turns.value >= turn })
      }
    }
    let first = try runner(until: 1)
    let executor = queue.executor(keepsThread: false)
    let host = try await ExecutorHost.make(on: executor) { loop in
      loop.budget = .unlimited
      loop.watchdog = watchdog
      loop.post { turns.increment() }
    }
    first.join()
    try host.port.post {
      holds.computeUntilReported()
      turns.increment()
    }
    try runner(until: 2).join()
    #expect(holds.running.map(\.thread) == ["turn 2"])
    let last = try runner(until: 3)
    try await host.close()
    turns.increment()
    _ = executor.execute {}
    last.join()
  }

  @Test("a hold that ends with the watch is reported as ended")  // X4
  func endsWithTheWatch() throws {
    let holds = Holds()
    let thread = try LoopTransactions.LoopThread.watched("unwatched", by: holds.watchdog())
    try thread.port.postAndWait {
      holds.computeUntilReported()
      EventLoop.current?.watchdog = nil
    }
    #expect(holds.running.count == 1)
    #expect(inTime { holds.over.count == 1 })
    try thread.port.postAndWait {
      #expect(EventLoop.current?.core.needsSlowTick == false)
      #expect(EventLoop.current?.watchdog == nil)
    }
    try thread.end()
  }

  @Test("work of a host between two turns is reported if the host publishes it")  // X4
  func hostsWork() throws {
    let (holds, loop) = (Holds(), try EventLoop())
    let embedding = Embedding(loop)
    loop.watchdog = try holds.watchdog()
    for reports in 1...2 {
      embedding.turn()
      embedding.hostDidWake("run loop")
      while holds.running.count < reports { compute() }
      embedding.hostWillWait()
      #expect(inTime { holds.over.count == reports })
    }
    #expect(holds.running.map(\.work.description) == ["other run loop", "other run loop"])
    // The end of the embedding ends the host's work.
    embedding.hostDidWake("run loop")
    while holds.running.count < 3 { compute() }
    embedding.cancel()
    #expect(inTime { holds.over.count == 3 })
    loop.watchdog = nil
    try loop.close()
    #expect(holds.running.count == 3)
  }

  @Test("a handler may release its watchdog")  // X4
  func releasedInHandler() throws {
    let (box, released) = (Locked<LoopWatchdog?>(nil), Gate())
    let watchdog = try LoopWatchdog(threshold: .milliseconds(1)) { _ in
      let last = box.withLock { $0.take() }
      withExtendedLifetime(last) { released.open() }
    }
    box.withLock { $0 = watchdog }
    let thread = try LoopTransactions.LoopThread.watched("released", by: watchdog)
    try thread.port.postAndWait { #expect(released.waitInTime()) }
    try thread.end()
  }

  @Test("a loop with a virtual clock is not watched")  // X4
  func stepped() throws {
    let holds = Holds()
    try withSteppedLoop { stepped in
      stepped.loop.watchdog = try holds.watchdog(threshold: .milliseconds(1))
      stepped.loop.post { stepped.spend(.seconds(10)) }
      stepped.step()
      stepped.loop.watchdog = nil
    }
    #expect(holds.running.isEmpty)
    #expect(holds.over.isEmpty)
  }

  // A thread inside ThreadSanitizer's runtime at the fork leaves its locks held, so the
  // child blocks.
  @Test(
    "a forked child can close a watched loop and release the watchdog",
    .enabled(if: !Interposed.isSanitized, "ThreadSanitizer can deadlock a forked child")
  )  // X4, L12
  func forked() async {
    await #expect(processExitsWith: .success) {
      Process.endInTime()
      // Its thread looks at the loops every 0.25 ms, and so often has the lock.
      let holds = Holds()
      var watchdog: LoopWatchdog? = try holds.watchdog(threshold: .milliseconds(1))
      let loop = try EventLoop()
      loop.watchdog = watchdog
      loop.post { holds.computeUntilReported() }
      loop.run(.once)
      // From the second report on, the thread uses no type for the first time. A child that is
      // forked meanwhile would wait for a lock of Swift's runtime.
      #expect(inTime { !holds.over.isEmpty })
      for _ in 0..<20 {
        let ending = Process.fork {
          watchdog = nil
          loop.watchdog = nil
          try? loop.close()
        }
        #expect(ending.status == 0)
      }
      loop.watchdog = nil
      try loop.close()
    }
  }

  @Test("a threshold under a millisecond traps with a message", arguments: [0, 86_400_001])  // X4
  func threshold(milliseconds: Int) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [milliseconds] in
      _ = try LoopWatchdog(threshold: .milliseconds(milliseconds)) { _ in }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("LoopWatchdog: threshold must be from 1 ms to a day, got"))
  }
}

/// Computes for at least a millisecond.
private func compute() {
  let end = System.nanoseconds + 1_000_000
  while System.nanoseconds < end {}
}
