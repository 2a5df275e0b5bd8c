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

  @Test("posts of the loop and of its port run in the order made, and then those that they make")
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
      TestThread.run { try? port.post { trace.record("other thread") } }
      stepped.step()
      #expect(trace.take() == ["first", "second", "third", "other thread", "nested"])
      #expect(stepped.isIdle)
    }
  }

  @Test("a tick runs up to 32 posts that its posts have made, within the budget")  // L2, L9
  func following() throws {
    for (limit, most) in [(Int.max, 33), (4, 4), (1, 1)] {
      try withSteppedLoop { stepped in
        let (loop, counter) = (stepped.loop, Counter())
        loop.budget = EventLoop.Budget(count: limit)
        postAgain(100, counter, on: loop)
        var counts: [Int] = []
        for _ in 0..<3 {
          let before = counter.count
          stepped.step()
          counts.append(counter.count - before)
        }
        #expect(counts == [most, most, most])
        stepped.runUntilIdle()
        #expect(counter.count == 100)
      }
    }
  }

  @Test("posts that keep posting do not starve observers, timers, events or other threads")
  func fairness() throws {  // L2, L9
    try withSteppedLoop { stepped in
      let (loop, trace, counter, pair) = (stepped.loop, stepped.trace, Counter(), SocketPair())
      let port = loop.port
      loop.addObserver(for: .afterWaiting, repeats: false) { _ in trace.record("observer") }
      loop.addTimer(after: .zero) { _ in trace.record("timer") }
      pair.send()
      try loop.watch(pair.near, for: .readable) { _ in
        pair.receive()
        trace.record("event")
      }
      TestThread.run { try? port.post { trace.record("post") } }
      postAgain(.max, counter, on: loop)
      for _ in 0..<2 { stepped.step() }
      #expect(Set(trace.events) == ["observer", "timer", "event", "post"])
      #expect(trace.events.count == 4)
      // One of the posts runs first, and 32 more follow in each tick.
      #expect(counter.count == 66)
      // A post of another thread waits for at most the posts of one tick.
      let shared = Smuggled(counter)
      TestThread.run { try? port.post { trace.record("\(shared.value.count)") } }
      stepped.step()
      #expect(trace.events.last == "67")
      counter.count = .min / 2
    }
  }

  /// Makes a post that posts its successor, `count` times in all.
  private func postAgain(_ count: Int, _ counter: Counter, on loop: EventLoop) {
    guard count > 0, counter.count >= 0 else { return }
    loop.post { [unowned loop] in
      counter.count += 1
      self.postAgain(count - 1, counter, on: loop)
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
