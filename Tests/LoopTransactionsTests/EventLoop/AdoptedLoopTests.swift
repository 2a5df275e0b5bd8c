import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("An adopted loop")
struct AdoptedLoopTests {
  @Test("a host's own run performs what is committed, and tells no entry or exit")  // L1
  func hostRuns() throws {
    try withAdoptedLoop { host, loop in
      let trace = Trace()
      trace.follow(loop, [.entry, .beforeWaiting, .afterWaiting, .exit])
      loop.commit { trace.record("performed") }
      #expect(!host.run())
      #expect(trace.events == ["beforeWaiting", "performed", "afterWaiting"])
    }
  }

  @Test("whatever is built on a loop, it has four handles")  // L3
  func handles() throws {
    try withAdoptedLoop { host, loop in
      for order in 0..<10 {
        loop.addObserver(for: [.entry, .beforeWaiting, .afterWaiting, .exit], order: order) { _ in }
      }
      let queues = (0..<10).map { _ in RunLoopQueue<Witness>(on: loop, handler: nil) }
      for queue in queues { queue.enqueue(Witness {}) }
      loop.commit {}
      let port = loop.port
      try port.post {}
      loop.run(.noWait)
      #expect([.idle, .prepare, .check].map(host.handleCount) == [1, 1, 1])
      #expect([.timer, .async, .poll].map(host.handleCount).reduce(0, +) == 1)
      withExtendedLifetime((port, queues)) {}
    }
  }

  @Test(
    "in a host's own run, what any callback commits is performed before it blocks",
    arguments: ForeignHandle.Kind.allCases
  )  // L1, L5
  func hostHandles(kind: ForeignHandle.Kind) throws {
    try withAdoptedLoop { host, loop in
      let trace = Trace()
      let timer = ForeignHandle(.timer, on: host.address) { _ in trace.record("timer") }
      timer.start(afterMilliseconds: 100)
      let handle = ForeignHandle(kind, on: host.address) { handle in
        trace.record("committed")
        handle.stop()
        loop.commit {
          trace.record("performed")
          host.stop()
        }
      }
      handle.start()
      if kind == .async || kind == .poll { handle.send() }
      if kind == .check {
        ForeignHandle(.idle, on: host.address) { $0.close() }.start()
      }
      Interposed.beforeBlocking({ _ in trace.record("blocks") }) { _ = host.run() }
      timer.close()
      handle.close()
      #expect(trace.events.drop { $0 == "blocks" } == ["committed", "performed"])
    }
  }

  @Test("a host that stops its loop strands nothing that was committed before the check")  // L5
  func hostStops() throws {
    try withAdoptedLoop { host, loop in
      var performed = 0
      let poll = ForeignHandle(.poll, on: host.address) { _ in
        loop.commit { performed += 1 }
        host.stop()
      }
      poll.start().send()
      host.run()
      poll.close()
      #expect(performed == 1)
    }
  }

  private final class Queues {
    var dropped: RunLoopQueue<Witness>?
    var filled: RunLoopQueue<Witness>?
  }

  @Test("a host's run of one tick says that more is owed when a wake brought it")  // L5
  func hostTicks() throws {
    var later: ForeignHandle?
    let queues = Smuggled(Queues())
    try withAdoptedLoop(prepare: { host in
      // Runs after ours: the loop counts as asleep, and is sent a wake. It is the
      // last that the host waits for.
      later = ForeignHandle(.prepare, on: host.address) { handle in
        handle.stop()
        TestThread.run {
          queues.value.dropped = nil
          queues.value.filled?.enqueue(Witness {})
        }
      }
      later?.start()
    }) { host, loop in
      loop.budget = EventLoop.Budget(count: 1)
      let handedOver = Tally()
      queues.value.dropped = RunLoopQueue(on: loop, handler: nil)
      queues.value.filled = RunLoopQueue(on: loop) { _, _ in handedOver.increment() }
      #expect(host.run(.once))
      #expect(loop.metrics.wakesReceived == 1)
      #expect(!host.run())
      #expect(handedOver.value == 1)
      later?.close()
    }
  }

  @Test("a host's run waits for posts while a port is held, and takes them")  // L1, L6
  func hostWaits() throws {
    try withAdoptedLoop { host, loop in
      let port = loop.port
      let trace = Trace()
      var thread: TestThread?
      loop.addObserver(for: .beforeWaiting, repeats: false) { _ in
        thread = TestThread { try? port.post { trace.record("posted") } }
      }
      #expect(host.run(.once))
      thread?.join()
      host.run(.noWait)
      #expect(trace.events == ["posted"])
    }
  }

  @Test("stop() ends a host's own run, and no run of ours after it")  // L1, L8
  func stopsHost() throws {
    try withAdoptedLoop { host, loop in
      let port = loop.port
      loop.addTimer(after: .zero) { _ in loop.stop() }
      #expect(host.run())
      #expect(loop.run(.noWait) == .ticked)
      loop.stop()
      #expect(loop.run() == .stopped)
      withExtendedLifetime(port) {}
    }
  }

  @Test("closing leaves the host its loop and its handles")  // L1, L11
  func closing() throws {
    let host = ForeignLoop()
    let trace = Trace()
    let timer = ForeignHandle(.timer, on: host.address) { _ in trace.record("host's timer") }
    timer.start()
    let loop = try EventLoop(adopting: host.address)
    loop.addTimer(after: .zero) { _ in trace.record("ours") }
    try loop.addPreciseTimer(at: loop.now) { _ in trace.record("ours") }
    try loop.close()
    host.run()
    timer.close()
    #expect(trace.events == ["host's timer"])
    #expect(host.close())
  }

  @Test(
    "a loop may be closed and dropped by what it calls in a host's own run",
    arguments: [EventLoop.Activity.beforeWaiting, .afterWaiting]
  )  // L1, L11
  func closingFromACallback(activity: EventLoop.Activity) throws {
    let host = ForeignLoop()
    let trace = Trace()
    weak var dropped: EventLoop?
    do {
      var loop: EventLoop? = try EventLoop(adopting: host.address)
      dropped = loop
      loop?.addObserver(for: activity, repeats: false) { _ in
        #expect(throws: Never.self) { try loop?.close() }
        loop = nil
        trace.record("dropped")
      }
      loop?.commit {}
    }
    host.run(.noWait)
    host.run(.noWait)
    #expect(trace.events == ["dropped"])
    #expect(dropped == nil)
    #expect(host.close())
  }

  @Test(
    "a loop may be closed and dropped by its timer in a host's own run",
    arguments: [false, true]
  )
  func closingFromATimer(isPrecise: Bool) async {  // L10, L11
    await #expect(processExitsWith: .success) { [isPrecise] in
      let host = ForeignLoop()
      weak var dropped: EventLoop?
      do {
        let loop = try EventLoop(adopting: host.address)
        dropped = loop
        let keeper = Keeper(loop)
        if isPrecise {
          try loop.addPreciseTimer(at: loop.now) { _ in keeper.drop() }
        } else {
          loop.addTimer(after: .zero) { _ in keeper.drop() }
        }
      }
      host.run()
      #expect(dropped == nil)
      #expect(host.close())
    }
  }

  @Test("closing from a transaction performs those behind it first")  // L11, T3
  func closingFromATransaction() throws {
    let host = ForeignLoop()
    let trace = Trace()
    let loop = try EventLoop(adopting: host.address)
    loop.commit {
      trace.record("first")
      #expect(throws: Never.self) { try loop.close() }
      trace.record("closed")
    }
    loop.commit {
      trace.record("second")
      loop.commit { trace.record("fourth") }
    }
    loop.commit { trace.record("third") }
    host.run(.noWait)
    #expect(trace.events == ["first", "second", "third", "fourth", "closed"])
    #expect(host.close())
  }

  @Test("closing from a post runs those behind it first, and counts each once")  // L11, X1
  func closingFromAPost() throws {
    let host = ForeignLoop()
    let trace = Trace()
    let loop = try EventLoop(adopting: host.address)
    let port = loop.port
    let smuggled = Smuggled(loop)
    try port.post {
      #expect(throws: Never.self) { try smuggled.value.close() }
      trace.record("closed")
    }
    for name in ["second", "third"] { try port.post { trace.record(name) } }
    host.run(.noWait)
    #expect(trace.events == ["second", "third", "closed"])
    #expect(port.metrics.posts == 3)
    #expect(host.close())
  }

  @Test("a stop that comes just before an observer closes the loop does no harm")  // L8, L11
  func stoppedAndClosed() async {
    await #expect(processExitsWith: .success) {
      let host = ForeignLoop()
      let loop = try EventLoop(adopting: host.address)
      let port = loop.port
      loop.addObserver(for: .beforeWaiting) { _ in
        TestThread.run { port.stop() }
        #expect(throws: Never.self) { try loop.close() }
      }
      host.run(.noWait)
      #expect(host.close())
    }
  }

  #if !DEBUG
    @Test("a host runs on after its adopted loop was dropped while open")  // L1, L11
    func droppedOpen() async {
      await #expect(processExitsWith: .success) {
        Interposed.forgiveLeaks()
        let host = ForeignLoop()
        var loop: EventLoop? = try EventLoop(adopting: host.address)
        let timer = loop?.addTimer(after: .zero) { _ in Issue.record("a timer fired") }
        let observer = loop?.addObserver(for: .beforeWaiting) { _ in }
        let queue = loop.map { RunLoopQueue<Witness>(on: $0) { _, _ in } }
        let trace = Trace()
        queue?.enqueue(Witness { trace.record("released") })
        loop = nil
        host.run(.noWait)
        timer?.cancel()
        observer?.remove()
        queue?.enqueue(Witness {})
        queue?.flush()
        #expect(trace.events == ["released"])
      }
    }
  #endif

  @Test("run() says so when its owner closed the loop first")  // L1
  func ownerClosedFirst() async {
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      let host = ForeignLoop()
      let loop = try EventLoop(adopting: host.address)
      #expect(host.tearDown())
      loop.run()
    }
    #expect(
      said(
        result,
        "its owner closed the adopted loop; call EventLoop.close() first"
      )
    )
  }

  @Test("a timer says so when its owner closed the loop first", arguments: [false, true])  // L1
  func timerAfterOwner(isPrecise: Bool) async {
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) { [isPrecise] in
      let host = ForeignLoop()
      let loop = try EventLoop(adopting: host.address)
      #expect(host.tearDown())
      if isPrecise {
        try loop.addPreciseTimer(at: loop.now) { _ in }
      } else {
        loop.addTimer(after: .zero) { _ in }
      }
    }
    #expect(
      said(
        result,
        "its owner closed the adopted loop; call EventLoop.close() first"
      )
    )
  }

  @Test("a loop whose owner closed it first still performs what is owed when closed")  // L1, L11
  func closeAfterOwner() async {
    await #expect(processExitsWith: .success) {
      // Nobody knows when handles that their owner closes may be freed.
      Interposed.forgiveLeaks()
      let host = ForeignLoop()
      let loop = try EventLoop(adopting: host.address)
      let timer = loop.addTimer(after: .seconds(3600)) { _ in }
      let port = loop.port
      let ran = Tally()
      #expect(host.tearDown())
      loop.commit { ran.increment() }
      TestThread.run { try? port.post { ran.increment() } }
      timer.cancel()
      try loop.close()
      #expect(ran.value == 2)
    }
  }
}

/// Holds a loop until it closes and drops it.
private final class Keeper {
  private var loop: EventLoop?

  init(_ loop: EventLoop) { self.loop = loop }

  func drop() {
    #expect(throws: Never.self) { try loop?.close() }
    loop = nil
  }
}
