import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("EventLoop.current")
struct CurrentLoopTests {
  @Test("in a callback, its loop is current; afterwards the outer loop is current again")  // L1
  func nested() throws {
    try withLoop { outer in
      let inner = try EventLoop()
      var seen: [ObjectIdentifier?] = []
      func note() { seen.append(EventLoop.current.map(ObjectIdentifier.init)) }
      outer.commit {
        note()
        inner.commit { note() }
        inner.run()
        note()
      }
      outer.run()
      try inner.close()
      #expect(seen == [outer, inner, outer].map(ObjectIdentifier.init))
    }
  }

  @Test("on a thread that runs no loop, the loop made last is current until it is closed")  // L1
  func afterwards() throws {
    try withLoop { loop in #expect(EventLoop.current === loop) }
    #expect(EventLoop.current == nil)
  }

  @Test("a loop closed and released during another loop's run is not current after it")  // L1
  func closedMeanwhile() async {
    await #expect(processExitsWith: .success) {
      try withLoop { outer in
        var later: EventLoop? = try EventLoop()
        weak let dropped = later
        outer.commit {
          #expect(throws: Never.self) { try later?.close() }
          later = nil
        }
        outer.run()
        #expect(EventLoop.current === outer)
        #expect(dropped == nil)
      }
    }
  }

  @Test("making or closing a loop in another loop's callback leaves that loop current")  // L1
  func madeMeanwhile() throws {
    try withLoop { loop in
      var seen: [Bool] = []
      func note() {
        seen.append(EventLoop.current === loop)
        #expect(throws: Never.self) {
          try withLoop { _ in seen.append(EventLoop.current === loop) }
        }
        seen.append(EventLoop.current === loop)
      }
      loop.addObserver(for: [.entry, .beforeWaiting, .exit]) { _ in note() }
      loop.run()
      #expect(seen == Array(repeating: true, count: 6))
    }
  }

  /// The kinds of callback in a host's own run.
  enum Callback: CaseIterable, Sendable {
    case transaction, observer, wake, timer, preciseTimer

    /// Makes `loop` call `body` in this kind of callback. Returns a function
    /// that the caller must call just before the loop polls, or nil.
    fileprivate func call(
      on loop: EventLoop,
      _ body: @escaping () -> Void
    ) throws -> (() -> Void)? {
      switch self {
      case .transaction: loop.commit(body)
      case .observer:
        loop.addObserver(for: .afterWaiting, repeats: false) { _ in body() }
        loop.addTimer(after: .milliseconds(1)) { _ in }
      case .wake:
        let (port, smuggled) = (loop.awaitedPort, Smuggled(body))
        return { TestThread.run { try? port.post { smuggled.value() } } }
      case .timer: loop.addTimer(after: .zero) { _ in body() }
      case .preciseTimer: try loop.addPreciseTimer(at: loop.now) { _ in body() }
      }
      return nil
    }
  }

  @Test(
    "in a host's own run, a callback's loop is current only during that callback",
    arguments: Callback.allCases
  )  // L1
  func hostRuns(callback: Callback) throws {
    var beforePoll: (() -> Void)?
    var later: ForeignHandle?
    try withAdoptedLoop(prepare: { host in
      // libuv calls this handle after the loop's own handle, when the loop
      // counts as asleep.
      later = ForeignHandle(.prepare, on: host.address) { _ in
        beforePoll?()
        beforePoll = nil
      }
      later?.start()
    }) { host, loop in
      try withLoop { last in
        var seen: [Bool] = []
        beforePoll = try callback.call(on: loop) {
          seen.append(EventLoop.current === loop)
          #expect(throws: Never.self) { try withLoop { _ in } }
          seen.append(EventLoop.current === loop)
          host.stop()
        }
        host.run()
        #expect(seen == [true, true])
        #expect(EventLoop.current === last)
        if callback == .wake { #expect(loop.metrics.wakesReceived == 1) }
      }
      later?.close()
      beforePoll = nil
    }
  }

  @Test("a loop closed in a host's run is not current after the run")  // L1, L11
  func closedByHost() throws {
    for other in ["none", "open", "closed"] {
      let host = ForeignLoop()
      let loop = try EventLoop(adopting: host.address)
      let later = other == "none" ? nil : try EventLoop()
      if other == "closed" { try later?.close() }
      loop.commit { #expect(throws: Never.self) { try loop.close() } }
      host.run()
      #expect(EventLoop.current === (other == "open" ? later : nil))
      try later?.close()
      #expect(host.close())
    }
  }

  @Test("a loop is not current on another thread")  // L1
  func otherThread() throws {
    try withLoop { _ in
      let trace = Trace()
      TestThread.run { trace.record(EventLoop.current == nil ? "none" : "a loop") }
      #expect(trace.events == ["none"])
    }
  }
}
