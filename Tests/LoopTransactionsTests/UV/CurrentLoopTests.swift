import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("EventLoop.current")
struct CurrentLoopTests {
  @Test("a callback's loop is the current one, and the outer one again afterwards")  // L1
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

  @Test("a thread that runs no loop has the one made last on it, until that is closed")  // L1
  func afterwards() throws {
    try withLoop { loop in #expect(EventLoop.current === loop) }
    #expect(EventLoop.current == nil)
  }

  @Test("a loop that was closed and dropped during another's run is not current after it")  // L1
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

  @Test("another thread does not see this one's loop")  // L1
  func otherThread() throws {
    try withLoop { _ in
      let trace = Trace()
      TestThread.run { trace.record(EventLoop.current == nil ? "none" : "a loop") }
      #expect(trace.events == ["none"])
    }
  }
}
