import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("LoopBound")
struct LoopBoundTests {
  @Test("a value that is not Sendable passes through other threads to its loop")  // C1
  func value() throws {
    try withSteppedLoop { stepped in
      final class Buffer { var words: [String] = [] }
      let (port, bound) = (stepped.loop.awaitedPort, LoopBound(Buffer(), on: stepped.loop))
      TestThread.run { try? port.post { bound.withValue { $0.words.append("posted") } } }
      stepped.runUntilIdle()
      bound.withValue { $0.words.append("here") }
      #expect(bound.withValue { $0.words } == ["posted", "here"])
    }
  }

  @Test("the value is released on the loop, whichever thread releases the box")  // C1, T5
  func release() throws {
    let trace = Trace()
    var last: LoopBound<Witness>?
    try withSteppedLoop { stepped in
      let own = System.thread
      for number in 0..<2 {
        // `held` has the only reference to the witness.
        let held = Locked<LoopBound<Witness>?>(
          LoopBound(
            Witness { trace.record("\(number) \(System.thread == own)") },
            on: stepped.loop
          )
        )
        // Release the first box on another thread, and the second box on this
        // thread.
        if number == 0 {
          TestThread.run { held.withLock { $0 = nil } }
          #expect(trace.events == [])
          stepped.runUntilIdle()
        } else {
          held.withLock { $0 = nil }
        }
      }
      last = LoopBound(Witness { trace.record("last") }, on: stepped.loop)
    }
    let held = Locked(last)
    last = nil
    TestThread.run { held.withLock { $0 = nil } }
    #expect(trace.events == ["0 true", "1 true", "last"])
  }

  @Test("a Sendable value is read and changed without a closure, and errors propagate")  // C1
  func sendable() throws {
    struct Refused: Error {}
    try withSteppedLoop { stepped in
      let count = LoopBound(1, on: stepped.loop)
      count.value += 1
      #expect(count.value == 2)
      #expect(throws: Refused.self) {
        try count.withValue { value in
          value += 1
          throw Refused()
        }
      }
      #expect(count.value == 3)
    }
  }

  @Test("accessing the value on another thread traps with a message")  // C1, L1
  func otherThread() async {
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      let loop = try EventLoop()
      let bound = LoopBound(1, on: loop)
      TestThread.run { _ = bound.value }
    }
    #expect(said(result, "LoopBound.value: the loop belongs to another thread"))
    let changed = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      let loop = try EventLoop()
      let bound = LoopBound(1, on: loop)
      TestThread.run { bound.withValue { $0 += 1 } }
    }
    #expect(said(changed, "LoopBound.withValue: the loop belongs to another thread"))
  }
}
