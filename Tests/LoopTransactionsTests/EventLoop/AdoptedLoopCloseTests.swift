import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("Adopted loop: close and teardown")
struct AdoptedLoopCloseTests {
  @Test("closing leaves the host's loop and its handles open")  // L1, L11
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
    "a loop may be closed and released by its observer in a host's own run",
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
    "a loop may be closed and released by its timer in a host's own run",
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

  @Test("closing in a transaction performs all later transactions first")  // L11, T3
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

  @Test("closing in a post runs all later posts first, and counts each once")  // L11, X1
  func closingFromAPost() throws {
    let host = ForeignLoop()
    let trace = Trace()
    let loop = try EventLoop(adopting: host.address)
    let port = loop.awaitedPort
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

  @Test("a stop just before an observer closes the loop does no harm")  // L8, L11
  func stoppedAndClosed() async {
    await #expect(processExitsWith: .success) {
      let host = ForeignLoop()
      let loop = try EventLoop(adopting: host.address)
      let port = loop.awaitedPort
      loop.addObserver(for: .beforeWaiting) { _ in
        TestThread.run { port.stop() }
        #expect(throws: Never.self) { try loop.close() }
      }
      host.run(.noWait)
      #expect(host.close())
    }
  }

  @Test("a host keeps running after its adopted loop was released while open")  // L1, L11
  func releasedOpen() async {
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
      observer?.cancel()
      queue?.enqueue(Witness {})
      queue?.flush()
      #expect(trace.events == ["released"])
    }
  }

  @Test(
    "run() and stop() trap with the reason if the owner closed the libuv loop first",
    arguments: [true, false]
  )  // L1
  func ownerClosedFirst(stops: Bool) async {
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) { [stops] in
      let host = ForeignLoop()
      let loop = try EventLoop(adopting: host.address)
      #expect(host.tearDown())
      if stops { loop.stop() } else { loop.run() }
    }
    #expect(
      said(
        result,
        "the owner closed the adopted loop; call EventLoop.close() first"
      )
    )
  }

  @Test(
    "adding a timer traps with the reason if the owner closed the libuv loop first",
    arguments: [false, true]
  )  // L1
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
        "the owner closed the adopted loop; call EventLoop.close() first"
      )
    )
  }

  @Test("calls that do not use libuv do no harm if the owner closed the libuv loop first")  // L1
  func harmlessAfterOwner() async {
    await #expect(processExitsWith: .success) {
      Interposed.forgiveLeaks()
      let host = ForeignLoop()
      let loop = try EventLoop(adopting: host.address)
      let timer = loop.addTimer(after: .seconds(3600)) { _ in }
      let clock = try FrameClock(on: loop) { _ in }
      let observer = loop.addObserver(for: .exit) { _ in }
      let queue = RunLoopQueue<Witness>(on: loop) { _, _ in }
      #expect(host.tearDown())
      loop.measuresTime = true
      loop.budget = .unlimited
      let port = loop.awaitedPort
      port.wake()
      queue.enqueue(Witness {})
      queue.flush()
      timer.keepsLoopAlive = false
      timer.cancel()
      clock.cancel()
      observer.cancel()
      #expect(loop.metrics.busy == .zero)
      try loop.close()
    }
  }

  @Test("close() performs pending work even if the owner closed the libuv loop first")  // L1, L11
  func closeAfterOwner() async {
    await #expect(processExitsWith: .success) {
      // Handles that the owner closed are leaked, because the library cannot
      // know when to free them.
      Interposed.forgiveLeaks()
      let host = ForeignLoop()
      let loop = try EventLoop(adopting: host.address)
      let timer = loop.addTimer(after: .seconds(3600)) { _ in }
      let port = loop.awaitedPort
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

/// Retains a loop until `drop()` closes and releases it.
private final class Keeper {
  private var loop: EventLoop?

  init(_ loop: EventLoop) { self.loop = loop }

  func drop() {
    #expect(throws: Never.self) { try loop?.close() }
    loop = nil
  }
}
