import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("LoopPort: delayed posts")
struct DelayedPostTests {
  @Test("a delayed post runs once, on the loop, when the delay has passed, and not before")  // E8
  func runs() throws {
    try withSteppedLoop { stepped in
      let (port, trace) = (stepped.loop.port, stepped.trace)
      let posts = Locked<[DelayedPost]>([])
      TestThread.run {
        for delay in [30, 10, 20] {
          let post = try? port.post(after: .milliseconds(delay)) { trace.record("\(delay)") }
          posts.withLock { posts in if let post { posts.append(post) } }
        }
      }
      stepped.advance(by: .nanoseconds(9_999_999))
      #expect(trace.events == [])
      #expect(posts.withLock { $0.allSatisfy { $0.state == .waiting } })
      stepped.advance(by: .nanoseconds(1))
      #expect(trace.take() == ["10"])
      stepped.advance(by: .milliseconds(50))
      #expect(trace.take() == ["20", "30"])
      #expect(posts.withLock { $0.allSatisfy { $0.state == .performed && !$0.cancel() } })
    }
  }

  @Test("the delay counts from the call, not from when the loop receives the post")  // E8
  func countsFromCall() throws {
    try withSteppedLoop { stepped in
      let (port, trace) = (stepped.loop.port, stepped.trace)
      try port.post(after: .milliseconds(10)) { trace.record("ran") }
      // As a callback that takes 10 ms does.
      stepped.spend(.milliseconds(10))
      stepped.step()
      #expect(trace.events == ["ran"] && stepped.loop.timerCount == 0)
    }
  }

  @Test("a delay of zero or less makes an ordinary post")  // E8
  func zero() throws {
    try withSteppedLoop { stepped in
      let (port, trace) = (stepped.loop.port, stepped.trace)
      try port.post(after: .zero) { trace.record("zero") }
      try port.post(after: .seconds(-1)) { trace.record("less") }
      #expect(trace.events == [])
      stepped.step()
      #expect(trace.events == ["zero", "less"] && stepped.isIdle)
    }
  }

  @Test("the run of a real loop waits for a delayed post of another thread")  // E8
  func waits() throws {
    try withLoop { loop in
      let (port, times) = (loop.port, Locked<[LoopClock.Instant]>([]))
      TestThread.run {
        // The delay cannot begin before this.
        times.withLock { $0.append(LoopClock.now) }
        _ = try? port.post(after: .milliseconds(2)) { times.withLock { $0.append(LoopClock.now) } }
      }
      #expect(loop.run() == .finished)
      let found = times.withLock { $0 }
      try #require(found.count == 2)
      #expect(found[0].duration(to: found[1]) >= .milliseconds(2))
    }
  }

  @Test("delayed posts that are due together share the tick's budget")  // L9, E8
  func budget() throws {
    try withSteppedLoop { stepped in
      let (port, ran) = (stepped.loop.port, Tally())
      stepped.loop.budget = EventLoop.Budget(count: 3)
      for _ in 0..<10 { try port.post(after: .milliseconds(1)) { ran.increment() } }
      stepped.runUntilIdle()
      stepped.spend(.milliseconds(1))
      var counts: [Int] = []
      while !stepped.isIdle {
        stepped.step()
        counts.append(ran.value)
      }
      #expect(counts == [3, 6, 9, 10])
    }
  }

  @Test("a cancelled post is released by the cancelling thread, and does not keep the run going")
  func cancels() throws {  // E8
    try withLoop { loop in
      let (port, released, ran) = (loop.port, Locked<[UInt]>([]), Tally())
      let witness = Witness { released.withLock { $0.append(System.thread) } }
      let post = try port.post(after: .seconds(3600)) { [witness] in
        witness.touch()
        ran.increment()
      }
      // The loop has received it.
      loop.run(.noWait)
      #expect(loop.timerCount == 1)
      try cancelElsewhere(post, released)
      #expect(loop.run() == .finished)
      #expect(loop.timerCount == 0 && ran.value == 0)
      withExtendedLifetime(witness) {}
    }
  }

  private func cancelElsewhere(_ post: DelayedPost, _ released: Locked<[UInt]>) throws {
    let results = Locked<[Bool]>([])
    TestThread.run {
      results.withLock { $0 = [post.cancel(), post.cancel()] }
    }
    #expect(results.withLock { $0 } == [true, false] && post.state == .cancelled)
  }

  @Test("delayed posts do not count against the loop's capacity")  // E8, L2
  func capacity() throws {
    try withSteppedLoop { stepped in
      let (loop, port, ran) = (stepped.loop, stepped.loop.port, Tally())
      loop.postCapacity = 1
      TestThread.run {
        try? port.post {}
        for delay in 0..<10 {
          #expect(throws: Never.self) {
            try port.post(after: .milliseconds(delay)) { ran.increment() }
          }
        }
      }
      stepped.advance(by: .milliseconds(10))
      #expect(ran.value == 10)
    }
  }

  @Test("a delay beyond the clock's range waits until it is cancelled")  // E8
  func endless() throws {
    try withSteppedLoop { stepped in
      let port = stepped.loop.port
      let post = try port.post(after: .seconds(Int64.max)) { Issue.record("called") }
      stepped.advance(by: .seconds(1_000_000_000))
      #expect(post.state == .waiting)
      #expect(post.cancel())
      stepped.runUntilIdle()
      #expect(stepped.loop.timerCount == 0)
    }
  }

  @Test("closing the loop refuses waiting posts and releases them on the loop")  // E8, L11
  func closes() throws {
    let loop = try EventLoop()
    let (port, trace) = (loop.port, Trace())
    let thread = System.thread
    func post(_ name: String) throws -> DelayedPost {
      let witness = Witness { trace.record("\(name) released \(System.thread == thread)") }
      return try port.post(after: .seconds(3600)) {
        witness.touch()
        trace.record("called")
      }
    }
    let received = try post("received")
    loop.run(.noWait)
    let unseen = try post("unseen")
    try loop.close()
    #expect(received.state == .refused && unseen.state == .refused)
    #expect(trace.events.sorted() == ["received released true", "unseen released true"])
    #expect(!received.cancel())
    #expect(throws: LoopPort.PostError.closed) { try port.post(after: .milliseconds(1)) {} }
  }

  @Test("close() calls a post that is due")  // E8, L11
  func closesDue() throws {
    let stepped = try SteppedLoop()
    let ran = Tally()
    let post = try stepped.loop.port.post(after: .milliseconds(1)) { ran.increment() }
    stepped.spend(.milliseconds(1))
    try stepped.close()
    #expect(ran.value == 1 && post.state == .performed)
  }

  @Test("a loop that is released without close() refuses its delayed posts")  // E8, L11
  func released() {
    TestThread.run {
      // The loop is never closed.
      Interposed.forgiveLeaks()
      var loop = try? EventLoop()
      let port = loop?.port
      let received = try? port?.post(after: .seconds(3600)) {}
      loop?.run(.noWait)
      let unseen = try? port?.post(after: .seconds(3600)) {}
      loop = nil
      #expect(received?.state == .refused && unseen?.state == .refused)
    }
  }
}
