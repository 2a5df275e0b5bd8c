import TestSupport
import Testing

@testable import LoopTransactions
@testable import LoopTransactionsTesting

private final class Label: Sendable {
  static let layout = Selector<Label>("layout") { _ in }
}

/// Collects the reports of a loop.
private final class Reports {
  private(set) var all: [TickReport] = []

  init(_ loop: EventLoop) { loop.tickHandler = { [unowned self] in all.append($0) } }

  /// The number of pieces of `kind` in all reports.
  func count(of kind: Work.Kind) -> Int { all.reduce(0) { $0 + $1.count(of: kind) } }
}

@Suite("Tick reports")
struct TickReportTests {
  @Test("a report counts the pieces of each kind")  // X2
  func counts() throws {
    try withSteppedLoop { stepped in
      let (loop, label) = (stepped.loop, Label())
      let reports = Reports(loop)
      let queue = RunLoopQueue<Label>(on: loop) { _, _ in }
      loop.addObserver(for: .beforeWaiting) { _ in }
      loop.commit(label, Label.layout)
      for _ in 0..<3 { loop.post {} }
      queue.enqueue(label)
      stepped.step()
      let report = try #require(reports.all.first)
      #expect(report.count(of: .transaction) == 1)
      #expect(report.count(of: .post) == 3)
      #expect(report.count(of: .element) == 1)
      #expect(report.count(of: .observer) == 1)
      #expect(report.count == 6)
      loop.addTimer(after: .milliseconds(1)) { _ in }
      stepped.advance(by: .milliseconds(1))
      loop.whenIdle {}
      stepped.step()
      stepped.step()
      #expect(reports.count(of: .timer) == 1)
      #expect(reports.count(of: .idleBlock) == 1)
      #expect(reports.count(of: .other) == 0)
    }
  }

  @Test("each job of an actor and each transaction's completions count once")  // X2
  func jobsAndCompletions() throws {
    try withSteppedLoop { stepped in
      let loop = stepped.loop
      let reports = Reports(loop)
      let pinned = Pinned(on: loop.port)
      for _ in 0..<3 { pinned.beginHere(0, with: pinned) {} }
      stepped.step()
      #expect(reports.all.map { $0.count(of: .job) } == [3])
      #expect(reports.count(of: .completion) == 0)
      let scheduler = SteppedScheduler(on: stepped).scheduler
      for name in ["a", "b"] {
        let transaction = AsyncTransaction(on: loop, name: name, scheduler: scheduler)
        for _ in 0..<2 { transaction.add("half") { _ in } }
        transaction.commit()
      }
      stepped.runUntilIdle()
      #expect(reports.count(of: .completion) == 2)
      #expect(reports.count(of: .job) == 3)
    }
  }

  @Test("a report has the start and the end of its tick")  // X2
  func times() throws {
    try withSteppedLoop { stepped in
      let loop = stepped.loop
      loop.budget = .unlimited
      let reports = Reports(loop)
      stepped.spend(.milliseconds(50))
      let start = stepped.now
      loop.post { stepped.spend(.milliseconds(30)) }
      loop.post { stepped.spend(.milliseconds(20)) }
      stepped.step()
      let report = try #require(reports.all.first)
      #expect(report.start == start)
      #expect(report.end == start.advanced(by: .milliseconds(50)))
      // The time before the run is not part of the loop's wait.
      #expect(report.slept == .zero)
      #expect(report.lateness == nil)
    }
  }

  @Test("the time in a poll that may block counts as slept, and no other time")  // X2, I33
  func slept() {
    var time: UInt64 = 100
    var recorder = Recorder(metrics: MetricsCells(), virtualTime: { time }, isInTick: false)
    func tick(from start: UInt64, to end: UInt64) -> TickReport {
      time = start
      recorder.enterTick(polledAt: 0)
      time = end
      _ = recorder.endTick(at: time)
      return TickReport(recorder.tick)
    }
    _ = tick(from: 110, to: 130)
    // The handler of the report takes 7.
    time = 137
    recorder.willPoll(mayBlock: true)
    let afterSleep = tick(from: 200, to: 250)
    #expect(afterSleep.start == LoopClock.Instant(nanoseconds: 200))
    #expect(afterSleep.end == LoopClock.Instant(nanoseconds: 250))
    #expect(afterSleep.slept == .nanoseconds(63))
    time = 255
    recorder.willPoll(mayBlock: false)
    let afterPoll = tick(from: 260, to: 270)
    #expect(afterPoll.start == LoopClock.Instant(nanoseconds: 250))
    #expect(afterPoll.duration == .nanoseconds(20))
    #expect(afterPoll.slept == .zero)
  }

  @Test("the longest piece is named, with its duration")  // X2
  func longest() throws {
    try withSteppedLoop { stepped in
      let loop = stepped.loop
      loop.budget = .unlimited
      let reports = Reports(loop)
      let line: UInt = #line + 1
      loop.post { stepped.spend(.milliseconds(30)) }
      loop.post { stepped.spend(.milliseconds(20)) }
      stepped.step()
      let report = try #require(reports.all.first)
      let longest = try #require(report.longest)
      #expect(longest.work.description == "post \(#fileID):\(line)")
      #expect(longest.duration == .milliseconds(30))
      #expect(report.duration == .milliseconds(50))
    }
  }

  @Test("a piece that calls another one is measured without it")  // X2, I33
  func nested() throws {
    try withSteppedLoop { stepped in
      let loop = stepped.loop
      let label = Label()
      let reports = Reports(loop)
      nonisolated(unsafe) let spender = stepped
      let inner = Selector<Label>("inner") { _ in spender.spend(.milliseconds(10)) }
      loop.addObserver(for: .beforeWaiting, repeats: false) { _ in
        stepped.spend(.milliseconds(7))
        loop.post {}
      }
      loop.commit(label, inner)
      stepped.step()
      let longest = try #require(reports.all.first?.longest)
      #expect(longest.work.name.hasSuffix("inner"))
      #expect(longest.duration == .milliseconds(10))
    }
  }

  @Test("a timer's tick is late by the time since the deadline")  // X2
  func lateness() throws {
    try withSteppedLoop { stepped in
      let loop = stepped.loop
      let reports = Reports(loop)
      loop.addTimer(after: .milliseconds(5)) { _ in }
      stepped.spend(.milliseconds(12))
      stepped.advance(by: .zero)
      stepped.step()
      #expect(reports.all.compactMap(\.lateness).max() == .milliseconds(7))
    }
  }

  @Test("work that is left to the next tick is reported as carried over")  // X2
  func carriedOver() throws {
    try withSteppedLoop { stepped in
      let loop = stepped.loop
      loop.budget = EventLoop.Budget(count: 1)
      let reports = Reports(loop)
      for _ in 0..<2 { loop.post {} }
      stepped.step()
      stepped.step()
      #expect(reports.all.map(\.carriedOver) == [1, 0])
    }
  }

  @Test("a handler may commit, and its work is performed in the next tick")  // X2
  func commitsInHandler() throws {
    try withSteppedLoop { stepped in
      let loop = stepped.loop
      let trace = Trace()
      loop.tickHandler = { [unowned loop] _ in
        guard loop.metrics.posts < 2 else { return }
        loop.post { trace.record("posted") }
      }
      loop.post { trace.record("first") }
      stepped.step()
      #expect(trace.events == ["first"])
      stepped.step()
      #expect(trace.events.contains("posted"))
    }
  }

  @Test("a handler that ends the reports gets none afterwards")  // X2
  func endsReports() throws {
    try withSteppedLoop { stepped in
      let loop = stepped.loop
      var count = 0
      loop.tickHandler = { [unowned loop] _ in
        count += 1
        loop.tickHandler = nil
      }
      loop.post {}
      for _ in 0..<3 { stepped.step() }
      #expect(count == 1)
      #expect(loop.recorder == nil)
    }
  }

  @Test("a handler that ends the reports is released when it returns")  // X2
  func releasedAfterReturn() throws {
    try withSteppedLoop { stepped in
      let loop = stepped.loop
      weak var kept: Label?
      var wasKept = false
      do {
        let label = Label()
        kept = label
        loop.tickHandler = { [unowned loop] _ in
          loop.tickHandler = nil
          wasKept = kept != nil
          withExtendedLifetime(label) {}
        }
      }
      loop.post {}
      stepped.step()
      #expect(wasKept)
      #expect(kept == nil)
      #expect(loop.recording.replacedHandlers.isEmpty)
    }
  }

  @Test("a wake from another thread has a lateness, and the time slept counts")  // X2
  func wake() throws {
    let loop = try EventLoop()
    defer { try? loop.close() }
    loop.waitsForPosts = true
    let (port, isSeen) = (loop.port, Tally())
    loop.tickHandler = { if $0.lateness != nil, $0.slept > .zero { isSeen.increment() } }
    // Posts until one of them has found the loop asleep.
    let thread = TestThread {
      while isSeen.value == 0 {
        try? port.post {}
        TestThread.yield()
      }
      port.stop()
    }
    loop.run()
    thread.join()
    #expect(isSeen.value > 0)
  }

  @Test("a post's tick is late by the time since the post")  // X2, C5
  func postLateness() throws {
    try withLoop { loop in
      let reports = Reports(loop)
      let embedding = Embedding(loop, wake: { true })
      let port = loop.awaitedPort
      embedding.turn()
      let before = loop.now
      TestThread.run { try? port.post {} }
      let after = loop.now
      // The host is busy before its next turn.
      spin(for: .milliseconds(20))
      let turn = loop.now
      embedding.turn()
      let end = loop.now
      let late = reports.all.compactMap(\.lateness)
      // 0.1 ms: the counter is converted to the loop's clock.
      let error = Duration.microseconds(100)
      #expect(late.count == 1)
      #expect(late.allSatisfy { $0 >= after.duration(to: turn) - error })
      #expect(late.allSatisfy { $0 <= before.duration(to: end) + error })
      embedding.cancel()
      loop.tickHandler = nil
    }
  }

  @Test("the time of the handler does not count as slept")  // X2
  func handlerTime() throws {
    let loop = try EventLoop()
    defer { try? loop.close() }
    var handled: [LoopClock.Instant] = []
    var pollsBegan: [LoopClock.Instant] = []
    loop.tickHandler = { tick in
      pollsBegan.append(tick.start.advanced(by: .zero - tick.slept))
      let end = loop.now.advanced(by: .milliseconds(20))
      while loop.now < end {}
      handled.append(loop.now)
    }
    // Later than the handler ends, so that the loop sleeps.
    loop.addTimer(after: .seconds(1)) { _ in }
    loop.run()
    // A millisecond: the counter is converted to the loop's clock.
    for (end, began) in zip(handled, pollsBegan.dropFirst()) {
      #expect(began.advanced(by: .milliseconds(1)) >= end)
    }
    #expect(handled.count > 1)
  }

  @Test("a report prints its counts and its longest piece")  // X2
  func text() throws {
    try withSteppedLoop { stepped in
      let loop = stepped.loop
      let reports = Reports(loop)
      loop.post { stepped.spend(.milliseconds(3)) }
      let place = "\(#fileID):\(#line - 1)"
      stepped.step()
      let text = "3.00 ms, 1 post, longest 3.00 ms in post \(place)"
      #expect(reports.all.first?.description == text)
    }
  }

  @Test("without a reader, no slot is used and no tick is slow")  // X2
  func off() throws {
    let loop = try EventLoop()
    #expect(!loop.core.needsSlowTick)
    loop.tickHandler = { _ in }
    #expect(loop.core.needsSlowTick)
    #expect(loop.recorder?.pointee.slot?.thread == System.threadNumber)
    loop.tickHandler = nil
    #expect(!loop.core.needsSlowTick)
    try loop.close()
  }
}
