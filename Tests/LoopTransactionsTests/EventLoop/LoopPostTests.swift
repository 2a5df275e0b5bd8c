import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

/// An object that must stay on the loop's thread.
private final class Counter {
  var count = 0
}

@Suite("EventLoop: post")
struct LoopPostTests {
  @Test("a closure that is not Sendable runs once, in the next tick, before the loop blocks")  // L2
  func runs() throws {
    try withLoop { loop in
      let counter = Counter()
      loop.post { counter.count += 1 }
      #expect(counter.count == 0)
      // Nothing keeps the run going except the post.
      #expect(loop.run() == .finished)
      #expect(counter.count == 1)
      #expect(loop.metrics.posts == 1 && loop.metrics.wakesSent == 0)
    }
  }

  @Test("posts of the loop and of its port run in the order made, and a nested one later")
  func order() throws {  // L2
    try withSteppedLoop { stepped in
      let (loop, trace) = (stepped.loop, stepped.trace)
      let port = loop.port
      loop.post {
        trace.record("first")
        loop.post { trace.record("nested") }
      }
      try port.post { trace.record("second") }
      loop.post { trace.record("third") }
      stepped.step()
      #expect(trace.take() == ["first", "second", "third"])
      stepped.step()
      #expect(trace.take() == ["nested"] && stepped.isIdle)
    }
  }

  @Test("a loop that posts endlessly still polls, and carries work over at its budget")  // L5, L9
  func budget() throws {
    try withSteppedLoop { stepped in
      let (loop, trace) = (stepped.loop, stepped.trace)
      loop.budget = EventLoop.Budget(count: 2)
      for number in 0..<5 { loop.post { trace.record("\(number)") } }
      var ticks: [[String]] = []
      while !stepped.isIdle {
        stepped.step()
        ticks.append(trace.take())
      }
      #expect(ticks == [["0", "1"], ["2", "3"], ["4"]])
    }
  }

  @Test("the captures are released after the call, on the loop")  // L2
  func releases() throws {
    try withSteppedLoop { stepped in
      let trace = stepped.trace
      do {
        let witness = Witness { trace.record("released") }
        stepped.loop.post {
          witness.touch()
          trace.record("called")
        }
      }
      stepped.step()
      #expect(trace.events == ["called", "released"])
    }
  }

  @Test(
    "posting does not allocate beyond the closure",
    .enabled(if: Interposed.isAvailable)
  )  // L2
  func allocations() throws {
    try withLoop { loop in
      loop.post {}
      loop.run()
      #expect(Interposed.allocations { for _ in 0..<50 { loop.post {} } } == 0)
      loop.run()
    }
  }

  @Test("close() runs posts, and those that they make")  // L11
  func closes() throws {
    let loop = try EventLoop()
    let counter = Counter()
    loop.post { loop.post { loop.post { counter.count += 1 } } }
    try loop.close()
    #expect(counter.count == 1)
  }

  @Test("close() drops a post that keeps posting and reports it, and releases a post of a deinit")
  func drops() async {  // L11
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let loop = try EventLoop()
      let counter = Counter()
      @Sendable func again(_ loop: EventLoop, _ witness: Witness) {
        loop.post { again(loop, witness) }
      }
      let released = Tally()
      again(loop, Witness { released.increment() })
      do {
        // Released with the timer.
        let late = Late { [unowned loop] in loop.post { counter.count += 1 } }
        loop.addTimer(after: .seconds(60)) { _ in late.touch() }
      }
      try loop.close()
      #expect(released.value == 1 && counter.count == 0)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("EventLoop.close: dropped 1 posts that kept posting"))
  }
}

/// Calls a closure when it is released, on the loop.
private final class Late {
  private let body: () -> Void

  init(_ body: @escaping () -> Void) { self.body = body }

  deinit { body() }

  func touch() {}
}
