import LoopTransactions
import TestSupport
import Testing

@Suite("EventLoop.waitsForPosts")
struct WaitsForPostsTests {
  @Test("by default, a run does not wait because a port is retained")  // L8
  func portHeld() throws {
    try withLoop { loop in
      let port = loop.port
      #expect(!loop.waitsForPosts)
      #expect(loop.runInTime() == .finished)
      withExtendedLifetime(port) {}
    }
  }

  @Test("an accepted post runs even if the run does not wait for posts")  // L2, L8
  func accepted() throws {
    try withLoop { loop in
      let (port, ran) = (loop.port, Tally())
      TestThread.run { try? port.post { ran.increment() } }
      #expect(loop.runInTime() == .finished)
      #expect(ran.value == 1)
    }
  }

  @Test("a run waits for posts if waitsForPosts was set, before or after the port was obtained")
  func asked() throws {  // L8
    for isAskedFirst in [true, false] {
      try withLoop { loop in
        if isAskedFirst { loop.waitsForPosts = true }
        let port = loop.port
        if !isAskedFirst { loop.waitsForPosts = true }
        var thread: TestThread?
        loop.addObserver(for: .beforeWaiting, repeats: false) { _ in
          thread = TestThread { try? port.post { port.stop() } }
        }
        #expect(loop.runInTime() == .stopped)
        thread?.join()
      }
    }
  }

  @Test("a run that waits for posts ends when waitsForPosts is reset")  // L8
  func takenBack() throws {
    try withLoop { loop in
      let port = loop.port
      loop.waitsForPosts = true
      let end = Smuggled { loop.waitsForPosts = false }
      try port.post { end.value() }
      #expect(loop.runInTime() == .finished)
    }
  }

  @Test("a run does not wait for posts if no port is retained")  // L7, L8
  func nobody() throws {
    try withLoop { loop in
      loop.waitsForPosts = true
      #expect(loop.runInTime() == .finished)
      _ = loop.port
      #expect(loop.runInTime() == .finished)
    }
  }

  @Test("a run waits for an async transaction, but not for the port that it retains")  // O6, L8
  func transaction() throws {
    try withLoop { loop in
      let port = loop.port
      let (scheduler, begun) = (OperationScheduler("waits for posts", workerLimit: 1), Gate())
      let transaction = AsyncTransaction(on: loop, scheduler: scheduler)
      var completed = 0
      transaction.add { _ in
        #expect(begun.waitInTime())
      } completion: { _ in
        completed += 1
      }
      transaction.commit()
      // Let the operation end only when the run is about to poll.
      loop.addObserver(for: .beforeWaiting, order: .max, repeats: false) { _ in begun.open() }
      #expect(loop.runInTime() == .finished)
      #expect(completed == 1)
      withExtendedLifetime(port) {}
    }
  }
}
