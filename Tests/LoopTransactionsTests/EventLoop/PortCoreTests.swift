import LoopTransactions
import TestSupport
import Testing

// I1, I8
@Suite("PortCore")
struct PortCoreTests {
  @Test("a closed loop accepts nothing, from its own thread or others")
  func closed() throws {
    let loop = try EventLoop()
    let core = loop.port.core
    try loop.close()
    #expect(!core.append(.numbered(1)))
    let isTaken = Locked(true)
    TestThread.run { isTaken.withLock { $0 = core.append(.numbered(2)) } }
    #expect(!isTaken.withLock { $0 })
    #expect(core.setHostWake(nil) == nil)
  }

  @Test("items from the loop's own thread do not go through the inbox")
  func ownThread() throws {
    try withLoop { loop in
      // This process may lose the processor for longer than the default budget.
      loop.budget = .unlimited
      let port = loop.port
      let core = port.core
      #expect(core.isOnThread)
      #expect(core.append(.numbered(1)))
      #expect(!core.inbox.isFilled)
      TestThread.run { #expect(!core.isOnThread && core.append(.numbered(2))) }
      #expect(core.inbox.isFilled)
      loop.run(.noWait)
      #expect(loop.metrics.posts == 2)
      withExtendedLifetime(port) {}
    }
  }

  @Test("two posts and a request to a sleeping loop send one wake")
  func wakes() throws {
    try withLoop { loop in
      let core = loop.port.core
      for _ in 0..<3 {
        #expect(core.inbox.sleep())
        let before = loop.metrics.wakesSent
        TestThread.run {
          _ = core.append(.numbered(1))
          _ = core.append(.numbered(2))
          core.request(Inbox.wakeWanted)
        }
        #expect(loop.metrics.wakesSent == before + 1)
        loop.run(.noWait)
      }
    }
  }

  @Test("a request to a closed loop writes nothing", .enabled(if: Interposed.isAvailable))
  func closedIsSilent() throws {
    let loop = try EventLoop()
    let core = loop.port.core
    #expect(core.inbox.sleep())
    try loop.close()
    let writes = Interposed.writes
    core.request(Inbox.stopWanted)
    #expect(Interposed.writes == writes)
  }

  @Test("posts call the host's wake instead of writing, and write if it returns false")
  func hostWake() throws {
    try withLoop { loop in
      let core = loop.port.core
      let calls = Tally()
      for (wakes, writes) in [(true, 0), (false, 1)] {
        let wake = HostWake {
          calls.increment()
          return wakes
        }
        _ = core.setHostWake(wake)
        #expect(core.inbox.sleep())
        let written = Tally()
        TestThread.run {
          let before = Interposed.writes
          _ = core.append(.numbered(1))
          written.add(Interposed.writes - before)
        }
        if Interposed.isAvailable { #expect(written.value == writes) }
        #expect(core.setHostWake(nil) === wake)
        loop.run(.noWait)
      }
      #expect(calls.value == 2)
      #expect(loop.metrics.wakesSent == 2)
    }
  }

  @Test("a request does not call the host's wake, because it may come from a signal handler")
  func requestWithHostWake() throws {
    try withLoop { loop in
      let core = loop.port.core
      let calls = Tally()
      _ = core.setHostWake(HostWake { calls.increment() > 0 })
      #expect(core.inbox.sleep())
      TestThread.run { core.request(Inbox.wakeWanted) }
      #expect(calls.value == 0)
      _ = core.setHostWake(nil)
    }
  }

  @Test(
    "replacing the host's wake waits for a sender that is calling the previous one",
    .enabled(if: Interposed.isAvailable)
  )
  func replacedInFlight() throws {
    try withLoop { loop in
      let core = loop.port.core
      let (entered, released) = (Gate(), Gate())
      let isOver = Locked(false)
      let wake = HostWake {
        entered.open()
        released.wait()
        isOver.withLock { $0 = true }
        return true
      }
      _ = core.setHostWake(wake)
      #expect(core.inbox.sleep())
      let sender = TestThread { _ = core.append(.numbered(1)) }
      entered.wait()
      let next = HostWake { true }
      Interposed.before(.yield) {
        released.open()
      } _: {
        #expect(core.setHostWake(next) === wake)
      }
      #expect(isOver.withLock { $0 })
      // Releases the sender if setHostWake did not wait.
      released.open()
      sender.join()
      #expect(core.setHostWake(nil) === next)
    }
  }

  @Test("checkThread on another thread traps with the operation's name")
  func offThread() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let loop = try EventLoop()
      let core = loop.port.core
      core.checkThread("Test.operation")
      TestThread.run { core.checkThread("Test.operation") }
      try loop.close()
    }
    #expect(
      said(result, "Test.operation: the loop belongs to another thread; use its port from this one")
    )
  }
}
