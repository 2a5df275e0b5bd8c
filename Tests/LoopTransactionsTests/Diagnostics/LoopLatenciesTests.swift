import LoopTransactionsTesting
import TestSupport
import Testing

@testable import LoopTransactions

@Suite("LoopLatencies")
struct LoopLatenciesTests {
  @Test("a tick's busy time and its longest wait for a callback are recorded")  // X2
  func tick() throws {
    try withSteppedLoop { stepped in
      let (loop, port) = (stepped.loop, stepped.loop.port)
      loop.budget = .unlimited
      loop.recordsLatencies = true
      loop.post { stepped.spend(.milliseconds(30)) }
      loop.post { stepped.spend(.milliseconds(20)) }
      stepped.step()
      let latencies = try #require(port.latencies)
      #expect(latencies.busy.count == 1)
      #expect(latencies.busy.max == .milliseconds(50))
      #expect(latencies.pollToCallback.count == 1)
      #expect(latencies.pollToCallback.max == .milliseconds(30))
      #expect(latencies.wakeLateness.count == 0)
      stepped.step()
      #expect(port.latencies?.busy.count == 2)
      #expect(port.latencies?.pollToCallback.count == 1)
    }
  }

  @Test("a timer's tick is late by the time since the deadline")  // X2
  func timer() throws {
    try withSteppedLoop { stepped in
      let loop = stepped.loop
      loop.recordsLatencies = true
      loop.addTimer(after: .milliseconds(5)) { _ in }
      stepped.spend(.milliseconds(12))
      stepped.advance(by: .zero)
      stepped.step()
      #expect(loop.port.latencies?.wakeLateness.count == 1)
      #expect(loop.port.latencies?.wakeLateness.max == .milliseconds(7))
    }
  }

  @Test("the time before and between runs is not recorded")  // X2
  func outsideRuns() throws {
    try withSteppedLoop { stepped in
      let loop = stepped.loop
      loop.recordsLatencies = true
      for _ in 0..<2 {
        stepped.spend(.milliseconds(50))
        loop.post { stepped.spend(.milliseconds(3)) }
        stepped.step()
      }
      let busy = try #require(loop.port.latencies?.busy)
      #expect(busy.count == 2)
      #expect(busy.max == .milliseconds(3))
    }
  }

  @Test("the tick in which recording begins is neither recorded nor reported")  // X2
  func partialTick() throws {
    try withSteppedLoop { stepped in
      let loop = stepped.loop
      loop.addObserver(for: .afterWaiting, repeats: false) { [unowned loop] _ in
        loop.recordsLatencies = true
      }
      var reported: [Duration] = []
      loop.post { [unowned loop] in
        loop.tickHandler = { reported.append($0.duration) }
        stepped.spend(.milliseconds(40))
      }
      stepped.step()
      #expect(loop.port.latencies?.busy.count == 0)
      loop.post { stepped.spend(.milliseconds(3)) }
      stepped.step()
      #expect(loop.port.latencies?.busy.count == 1)
      #expect(loop.port.latencies?.busy.max == .milliseconds(3))
      #expect(reported == [.milliseconds(3)])
      loop.tickHandler = nil
    }
  }

  @Test("a piece of work that another piece calls does not begin a callback")  // X2
  func nested() {
    var time: UInt64 = 100
    var recorder = Recorder(metrics: MetricsCells(), virtualTime: { time }, isInTick: false)
    recorder.enterTick(polledAt: 0)
    let outer = recorder.enter()
    time = 110
    recorder.begin(OwnerWord(.post))
    time = 140
    let inner = recorder.enter()
    recorder.begin(OwnerWord(.completion))
    recorder.end(inner)
    recorder.end(outer)
    let isWhole = recorder.endTick(at: time)
    #expect(isWhole)
    #expect(recorder.tick.pollToCallback == 10)
  }

  @Test("latencies are nil until they are recorded, and kept when recording ends")  // X2
  func switching() throws {
    let loop = try EventLoop()
    let port = loop.port
    #expect(port.latencies == nil)
    #expect(!loop.recordsLatencies && !loop.core.needsSlowTick)
    loop.recordsLatencies = true
    #expect(loop.recordsLatencies && loop.core.needsSlowTick)
    #expect(port.latencies == LoopLatencies())
    loop.post {}
    loop.run()
    let first = try #require(port.latencies)
    #expect(first.busy.count > 0)
    loop.recordsLatencies = false
    #expect(!loop.recordsLatencies && !loop.core.needsSlowTick)
    loop.post {}
    loop.run()
    #expect(port.latencies == first)
    loop.recordsLatencies = true
    loop.post {}
    loop.run()
    try loop.close()
    #expect(!loop.recordsLatencies)
    #expect(try #require(port.latencies).busy.count > first.busy.count)
  }

  @Test("a post that wakes a sleeping loop has a lateness")  // X2
  func wake() async throws {
    let thread = try LoopThread(name: "late")
    try await thread.run { $0.recordsLatencies = true }
    // Not every post finds the loop asleep.
    let isSeen = inTime {
      try? thread.port.postAndWait {}
      return (thread.port.latencies?.wakeLateness.count ?? 0) > 0
    }
    #expect(isSeen)
    thread.stop()
    try await thread.join()
    let latencies = try #require(thread.port.latencies)
    #expect(latencies.busy.count >= latencies.wakeLateness.count)
  }

  @Test("a post that wakes a host by the host's own means has a lateness")  // X2, C5
  func hostWake() throws {
    try withLoop { loop in
      loop.recordsLatencies = true
      let embedding = Embedding(loop, wake: { true })
      let port = loop.awaitedPort
      embedding.turn()
      TestThread.run { try? port.post {} }
      // The host is busy before its next turn.
      spin(for: .milliseconds(20))
      embedding.turn()
      let late = try #require(port.latencies).wakeLateness
      #expect(late.count == 1)
      // 0.1 ms: the counter is converted to the loop's clock.
      #expect(late.min >= .microseconds(19_900))
      embedding.turn()
      #expect(port.latencies?.wakeLateness.count == 1)
      embedding.cancel()
    }
  }

  @Test("an event's callback waits for the callback before it")  // X2, E1
  func events() throws {
    try withSteppedLoop { stepped in
      let loop = stepped.loop
      loop.recordsLatencies = true
      let pairs = (0..<2).map { _ in SocketPair() }
      var (watchers, count): ([DescriptorWatcher], Int) = ([], 0)
      for pair in pairs {
        pair.send()
        let watcher = try loop.watch(pair.near, for: .readable) { _ in
          stepped.spend(.milliseconds(20))
          count += 1
          if count == 2 { for watcher in watchers { watcher.cancel() } }
        }
        watchers.append(watcher)
      }
      stepped.step()
      #expect(count == 2)
      let latencies = try #require(loop.port.latencies)
      #expect(latencies.pollToCallback.max == .milliseconds(20))
      #expect(latencies.busy.max == .milliseconds(40))
    }
  }

  @Test("the ticks of an adopted loop, which its owner runs, are recorded")  // X2
  func adopted() throws {
    try withAdoptedLoop { host, loop in
      loop.recordsLatencies = true
      loop.post {}
      host.run(.noWait)
      #expect(loop.port.latencies?.busy.count == 1)
      #expect(loop.port.latencies?.pollToCallback.count == 1)
    }
  }

  @Test("a group's latencies are the sum of its loops' latencies")  // X2, G2
  func group() async throws {
    let group = try LoopGroup(name: "latencies", count: 3)
    #expect(group.latencies == nil)
    try await group.threads[1].run { $0.recordsLatencies = true }
    #expect(group.latencies != nil)
    try await group.forEach { $0.recordsLatencies = true }
    try await group.forEach { _ in }
    try await group.shutDown()
    let counts = group.threads.compactMap { $0.port.latencies?.busy.count }
    #expect(counts.count == 3)
    #expect(group.latencies?.busy.count == counts.reduce(0, +))
  }

  @Test("latencies print a line for each histogram")  // X2
  func text() {
    #expect(
      "\(LoopLatencies())" == "wakeLateness: count: 0\nbusy: count: 0\npollToCallback: count: 0"
    )
  }
}
