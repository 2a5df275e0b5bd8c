import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

private final class Label: Sendable {
  static let layout = Selector<Label>("count layout") { _ in }
}

private func nothing(_: UnsafeMutableRawPointer?) {}

@Suite("Counts", .enabled(if: Interposed.isAvailable))
struct CountTests {
  @Test("a commit of a pending pair allocates nothing")  // T10
  func duplicateCommit() throws {
    try withSteppedLoop { stepped in
      let (loop, label) = (stepped.loop, Label())
      let kept = Transaction(label, Label.layout, on: loop)
      loop.commit(label, Label.layout)
      kept.commit()
      let count = Interposed.allocations {
        for _ in 0..<1000 {
          loop.commit(label, Label.layout)
          kept.commit()
        }
      }
      #expect(count == 0)
      stepped.step()
      #expect(loop.metrics.coalesced == 1001)
    }
  }

  @Test(
    "a commit of a pair that waits for a frame allocates nothing",
    .enabled(if: Interposed.isOptimized)
  )  // T11, T10
  func duplicateFrameCommit() throws {
    try withSteppedLoop { stepped in
      let (loop, label) = (stepped.loop, Label())
      let screen = try FrameClock(on: loop)
      let kept = Transaction(label, Label.layout, on: loop)
      let last = Selector<Label>.Carrying<Int>("count last") { _, _ in }
      loop.commit(label, Label.layout, atNextFrameOf: screen)
      loop.commit(label, last, 0, atNextFrameOf: screen)
      kept.commit(atNextFrameOf: screen)
      let count = Interposed.allocations {
        for number in 0..<1000 {
          loop.commit(label, Label.layout, atNextFrameOf: screen)
          loop.commit(label, last, number, atNextFrameOf: screen)
          kept.commit(atNextFrameOf: screen)
        }
      }
      #expect(count == 0)
      #expect(loop.metrics.coalesced == 2001)
      stepped.advance(by: .seconds(1))
      #expect(loop.metrics.performed == 2)
    }
  }

  @Test(
    "a frame's commits allocate nothing once the lists have capacity",
    .enabled(if: Interposed.isOptimized)
  )  // T11, T10
  func frameCommit() throws {
    try withSteppedLoop { stepped in
      let (loop, label) = (stepped.loop, Label())
      let screen = FrameClock(hostedOn: loop) {}
      let kept = Transaction(label, Label.layout, on: loop)
      kept.commit(atNextFrameOf: screen)
      screen.beginFrame()
      let count = Interposed.allocations {
        for _ in 0..<100 {
          kept.commit(atNextFrameOf: screen)
          screen.beginFrame()
          loop.commit(label, Label.layout, atNextFrameOf: screen)
          loop.commit(label, Label.layout)
          stepped.step()
        }
      }
      #expect(count == 0)
      #expect(loop.metrics.performed == 201)
    }
  }

  @Test(
    "committing and performing allocate nothing once the set has capacity",
    .enabled(if: Interposed.isOptimized)
  )  // T10
  func commit() throws {
    try withSteppedLoop { stepped in
      let (loop, label) = (stepped.loop, Label())
      let kept = Transaction(label, Label.layout, on: loop)
      let count = Interposed.allocations {
        for _ in 0..<100 {
          loop.commit(label, Label.layout)
          stepped.step()
          kept.commit()
          stepped.step()
        }
      }
      #expect(count == 0)
      #expect(loop.metrics.performed == 200)
    }
  }

  @Test("recording latencies allocates nothing", .enabled(if: Interposed.isOptimized))  // X2
  func latencies() throws {
    try withSteppedLoop { stepped in
      let (loop, label) = (stepped.loop, Label())
      loop.recordsLatencies = true
      loop.commit(label, Label.layout)
      stepped.step()
      let count = Interposed.allocations {
        for _ in 0..<100 {
          loop.commit(label, Label.layout)
          stepped.step()
        }
      }
      #expect(count == 0)
      #expect(loop.port.latencies?.busy.count == 101)
    }
  }

  @Test("reports and traces of ticks allocate nothing", .enabled(if: Interposed.isOptimized))
  func records() throws {  // X2, X3
    try withSteppedLoop { stepped in
      let (loop, label) = (stepped.loop, Label())
      var performed = 0
      loop.tickHandler = { performed += $0.count(of: .transaction) }
      let trace = try LoopTrace()
      defer { trace.stop() }
      // The first tick allocates the ring.
      loop.commit(label, Label.layout)
      stepped.step()
      let count = Interposed.allocations {
        for _ in 0..<100 {
          loop.commit(label, Label.layout)
          stepped.step()
        }
      }
      #expect(count == 0)
      #expect(performed == 101)
    }
  }

  @Test(
    "calling an observer, and a tick without work, allocate nothing",
    .enabled(if: Interposed.isOptimized)
  )  // L3
  func observerCall() throws {
    try withSteppedLoop { stepped in
      var calls = 0
      for order in 0..<10 {
        stepped.loop.addObserver(for: [.beforeWaiting, .afterWaiting], order: order) { _ in
          calls += 1
        }
      }
      stepped.step()
      let count = Interposed.allocations { for _ in 0..<100 { stepped.step() } }
      #expect(count == 0)
      #expect(calls == 2020)
    }
  }

  @Test("posting a closure allocates once, for its captures")  // L2
  func closurePost() throws {
    try withSteppedLoop { stepped in
      let (port, trace, ran) = (stepped.loop.awaitedPort, stepped.trace, Tally())
      TestThread.run {
        let count = try? Interposed.allocations { () throws(LoopPort.PostError) in
          for number in 0..<100 { try port.post { ran.add(number) } }
        }
        trace.record("\(count ?? -1)")
      }
      #expect(trace.events == ["100"])
      stepped.runUntilIdle()
      #expect(ran.value == 4950)
    }
  }

  @Test("posting a function, and a commit from another thread, allocate nothing")  // L2, T6
  func typedPost() throws {
    try withSteppedLoop { stepped in
      let (port, trace, label) = (stepped.loop.awaitedPort, stepped.trace, Label())
      // Commit once before counting, because the selector and its table
      // allocate on first use.
      stepped.loop.commit(label, Label.layout)
      TestThread.run {
        let count = try? Interposed.allocations { () throws(LoopPort.PostError) in
          for _ in 0..<50 {
            try port.post(nothing, context: nil)
            try port.commit(label, Label.layout)
          }
        }
        trace.record("\(count ?? -1)")
      }
      #expect(trace.events == ["0"])
      stepped.runUntilIdle()
    }
  }

  @Test("a tick with work reads the clock as often as a tick without")  // L9
  func clockReadings() throws {
    try withLoop { loop in
      // The loop needs a while to measure the rate of the CPU's counter.
      let fewest = fewestReadings(of: loop, ticks: 100_000)
      #expect(loop.metrics.performed == 49_999)
      #expect(fewest[1] == fewest[0])
    }
  }

  @Test("a new loop knows the rate of the CPU's counter that an earlier loop measured")  // L9
  func sharedRate() throws {
    try withLoop { _ = fewestReadings(of: $0, ticks: 20_000) }
    try withLoop { loop in
      let fewest = fewestReadings(of: loop, ticks: 50)
      #expect(fewest[1] == fewest[0])
    }
  }

  /// The fewest readings of the clock in a tick with a commit, and in one
  /// without. Ticks that are interrupted read the clock more often.
  private func fewestReadings(of loop: EventLoop, ticks count: Int) -> [Int] {
    let label = Label()
    var (fewest, before, ticks) = ([Int.max, Int.max], 0, 0)
    let idle = ForeignHandle(.idle, on: loop.libuvLoop) { idle in
      ticks += 1
      if ticks == count { return idle.close() }
      let now = Interposed.clockReadings
      fewest[ticks % 2] = min(fewest[ticks % 2], now - before)
      before = now
      if ticks % 2 == 0 { loop.commit(label, Label.layout) }
    }
    idle.start()
    loop.run()
    return fewest
  }

  @Test("after a burst of 100,000 targets, memory use is as before after 16 ticks")  // T10
  func burstOfThousands() async {
    await #expect(processExitsWith: .success) {
      try withLoop { loop in
        let (label, kept) = (Label(), Label())
        loop.budget = .unlimited
        loop.commit(label, Label.layout)
        loop.run()
        let before = Interposed.heapBytes
        for _ in 0..<100_000 { loop.commit(Label(), Label.layout) }
        loop.run()
        // The limit for a loop that sleeps afterwards.
        let asleep = Interposed.heapBytes - before
        #expect(asleep < 6 << 20 + 1 << 16, "\(asleep) bytes")
        for _ in 0..<16 {
          loop.commit(kept, Label.layout)
          loop.run()
        }
        let growth = Interposed.heapBytes - before
        #expect(abs(growth) < 1 << 20, "\(growth) bytes")
      }
    }
  }

  @Test("after a burst of a million targets, memory use is as before")  // T10
  func burst() async {
    await #expect(processExitsWith: .success) {
      try withLoop { loop in
        loop.budget = .unlimited
        loop.commit(Label(), Label.layout)
        loop.run()
        let before = Interposed.heapBytes
        for _ in 0..<1_000_000 { loop.commit(Label(), Label.layout) }
        loop.run()
        #expect(loop.metrics.performed == 1_000_001)
        let growth = Interposed.heapBytes - before
        #expect(abs(growth) < 1 << 20, "\(growth) bytes")
      }
    }
  }

  @Test("after a burst of a million posts, memory use is as before")  // L2
  func burstOfPosts() async {
    await #expect(processExitsWith: .success) {
      try withLoop { loop in
        let port = loop.awaitedPort
        loop.budget = .unlimited
        loop.run(.noWait)
        let before = Interposed.heapBytes
        TestThread.run {
          for _ in 0..<1_000_000 { try? port.post(nothing, context: nil) }
        }
        loop.run(.noWait)
        loop.run(.noWait)
        #expect(loop.metrics.posts >= 1_000_000)
        let growth = Interposed.heapBytes - before
        #expect(abs(growth) < 1 << 20, "\(growth) bytes")
      }
    }
  }
}
