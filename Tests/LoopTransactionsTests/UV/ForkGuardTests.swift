import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("Fork")
struct ForkGuardTests {
  @Test("a child refuses to run its parent's loop, and says what to do")  // L12
  func childRuns() async {
    await #expect(processExitsWith: .success) {
      let loop = try EventLoop()
      let ending = Process.fork { loop.run() }
      #expect(ending.status < 0)
      let text = ending.standardError
      #expect(
        text.contains(
          "EventLoop.run: the loop belongs to the parent process; make one in the child"
        )
      )
      try loop.close()
    }
  }

  @Test("a child's posts to its parent's loop are refused, and wake nobody")  // L12
  func childPosts() async {
    await #expect(processExitsWith: .success) {
      try withLoop { loop in
        let port = loop.port
        let ending = Process.fork {
          #expect(throws: LoopPort.Refusal.forked) { try port.post {} }
          port.wake()
          port.stop()
        }
        #expect(ending.status == 0)
        loop.run(.noWait)
        #expect(loop.metrics.wakesReceived == 0)
      }
    }
  }

  @Test("a child makes and runs a loop of its own")  // L12
  func childsOwn() async {
    await #expect(processExitsWith: .success) {
      try withLoop { loop in
        let ending = Process.fork {
          var performed = 0
          try? withLoop { own in
            own.commit { performed += 1 }
            own.run()
          }
          System.report("performed \(performed)")
        }
        #expect(ending.standardError == "performed 1\n")
        #expect(loop.run() == .finished)
      }
    }
  }

  @Test("a child that closes its parent's loop, or cancels its timers, does not deafen it")  // L12
  func childCloses() async {
    await #expect(processExitsWith: .success) {
      try withLoop { loop in
        let port = loop.port
        var thread: TestThread?
        let timer = try loop.addPreciseTimer(at: loop.now.advanced(by: .milliseconds(50))) { _ in
          thread = TestThread { try? port.post { port.stop() } }
        }
        // Watched by the kernel from the first poll on.
        loop.run(.noWait)
        let ending = Process.fork {
          timer.cancel()
          try? loop.close()
        }
        #expect(ending.status == 0)
        #expect(loop.runInTime() == .stopped)
        thread?.join()
      }
    }
  }

  @Test("a child that drops its parent's loop neither traps nor reports")  // L11, L12
  func childDrops() async {
    await #expect(processExitsWith: .success) {
      var loop: EventLoop? = try EventLoop()
      let ending = Process.fork { loop = nil }
      #expect(ending.status == 0)
      #expect(ending.standardError == "")
      try loop?.close()
    }
  }
}
