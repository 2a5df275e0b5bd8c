import LoopTransactions
import LoopTransactionsTesting
import Testing

private final class Page {
  static let turn = Selector<Page>("turn") { page in page.body() }

  let body: () -> Void

  init(_ body: @escaping () -> Void) { self.body = body }
}

// C3, C6
@Suite("SteppedLoop: ticks")
struct SteppedLoopTickTests {
  @Test("a step is one tick, and does not block on a loop without pending work")
  func step() throws {
    let stepped = try SteppedLoop()
    let port = stepped.loop.port
    stepped.trace.follow(stepped.loop, [.entry, .beforeWaiting, .afterWaiting, .exit])
    stepped.step()
    stepped.step()
    let tick = ["beforeWaiting", "afterWaiting"]
    #expect(stepped.trace.events == tick + tick)
    withExtendedLifetime(port) {}
    try stepped.close()
  }

  @Test("a step is one tick even when the loop has no active handles")
  func stepOfNothing() throws {
    let stepped = try SteppedLoop()
    stepped.trace.follow(stepped.loop, [.beforeWaiting, .afterWaiting])
    stepped.step()
    #expect(stepped.trace.events == ["beforeWaiting", "afterWaiting"])
    try stepped.close()
  }

  @Test("runUntilIdle() runs as many ticks as the work needs, and returns their number")
  func runUntilIdle() throws {
    let stepped = try SteppedLoop()
    var left = 5
    var page: Page?
    page = Page {
      left -= 1
      if left > 0, let page { stepped.loop.commit(page, Page.turn) }
    }
    #expect(stepped.isIdle)
    #expect(stepped.runUntilIdle() == 0)
    if let page { stepped.loop.commit(page, Page.turn) }
    #expect(!stepped.isIdle)
    #expect(stepped.runUntilIdle() == 5)
    #expect(left == 0)
    #expect(stepped.isIdle)
    page = nil
    try stepped.close()
  }

  @Test("a loop with a pending post is not idle until the post has run")
  func postMakesBusy() throws {
    let stepped = try SteppedLoop()
    let (port, trace) = (stepped.loop.port, stepped.trace)
    try port.post { trace.record("posted") }
    #expect(!stepped.isIdle)
    #expect(trace.events == [])
    #expect(stepped.runUntilIdle() == 1)
    #expect(trace.events == ["posted"])
    try stepped.close()
  }

  @Test("runUntilIdle() traps if the loop is not idle within the limit of ticks")
  func limit() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let stepped = try SteppedLoop()
      var page: Page?
      page = Page { if let page { stepped.loop.commit(page, Page.turn) } }
      if let page { stepped.loop.commit(page, Page.turn) }
      stepped.runUntilIdle(limit: 10)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("SteppedLoop.runUntilIdle: not idle after 10 steps"))
  }
}

// C3, C6
@Suite("SteppedLoop: time")
struct SteppedLoopTimeTests {
  @Test("the clock does not advance while the loop is stepped")
  func standsStill() throws {
    let stepped = try SteppedLoop()
    let start = stepped.now
    for _ in 0..<10 { stepped.step() }
    #expect(stepped.now == start)
    #expect(stepped.loop.now == start)
    stepped.advance(by: .milliseconds(1500))
    #expect(start.duration(to: stepped.now) == .milliseconds(1500))
    try stepped.close()
  }

  @Test("advancing the clock stops at the deadline of each timer that becomes due")
  func advances() throws {
    let stepped = try SteppedLoop()
    let (loop, trace, start) = (stepped.loop, stepped.trace, stepped.now)
    for delay in [3, 1, 2] {
      loop.addTimer(after: .seconds(delay)) { firing in
        trace.record("\(delay) at \(start.duration(to: loop.now))")
        #expect(firing.deadline == loop.now)
        #expect(firing.missed == 0)
      }
    }
    stepped.advance(by: .milliseconds(1999))
    #expect(trace.take() == ["1 at 1.0 seconds"])
    #expect(stepped.isIdle)
    stepped.advance(by: .milliseconds(1))
    #expect(trace.take() == ["2 at 2.0 seconds"])
    stepped.advance(by: .seconds(60))
    #expect(trace.events == ["3 at 3.0 seconds"])
    #expect(start.duration(to: stepped.now) == .seconds(62))
    try stepped.close()
  }

  @Test("during an advance, a timer's commit is performed before the next timer fires")
  func performsOnTheWay() throws {
    let stepped = try SteppedLoop()
    let (loop, trace) = (stepped.loop, stepped.trace)
    let page = Page { trace.record("turned") }
    loop.addTimer(after: .seconds(1), every: .seconds(1)) { _ in
      trace.record("timer")
      loop.commit(page, Page.turn)
    }
    stepped.advance(by: .seconds(3))
    #expect(trace.events == ["timer", "turned", "timer", "turned", "timer", "turned"])
    try stepped.close()
  }

  @Test("a timer started by another timer during an advance fires during that advance")
  func timerStartsTimer() throws {
    let stepped = try SteppedLoop()
    let (loop, trace) = (stepped.loop, stepped.trace)
    loop.addTimer(after: .seconds(1)) { _ in
      trace.record("first")
      loop.addTimer(after: .zero) { _ in trace.record("at once") }
      loop.addTimer(after: .seconds(1)) { _ in trace.record("second") }
      loop.addTimer(after: .seconds(2)) { _ in trace.record("too late") }
    }
    stepped.advance(by: .milliseconds(2500))
    #expect(trace.events == ["first", "at once", "second"])
    try stepped.close()
  }

  @Test("time spent in an action uses up the tick's budget and makes timers late")
  func spends() throws {
    let stepped = try SteppedLoop()
    let (loop, trace) = (stepped.loop, stepped.trace)
    let pages = ["a", "b", "c"].map { name in
      Page {
        trace.record(name)
        stepped.spend(.milliseconds(3))
      }
    }
    loop.addTimer(after: .milliseconds(1)) { firing in
      trace.record("late by \(firing.deadline.duration(to: loop.now))")
    }
    for page in pages { loop.commit(page, Page.turn) }
    stepped.runUntilIdle()
    #expect(trace.events == ["a", "b", "late by 0.005 seconds", "c"])
    try stepped.close()
  }

  @Test("timers with the same deadline fire in the order they were started")
  func equalDeadlines() throws {
    #expect(try order(seed: nil) == Array(0..<20))
  }

  @Test("a seed shuffles only timers with the same deadline, reproducibly")
  func seeded() throws {
    let orders = try (1...5).map { try order(seed: UInt64($0)) }
    #expect(Set(orders).count == 5)
    for (seed, shuffled) in zip(UInt64(1)..., orders) {
      #expect(try order(seed: seed) == shuffled)
      #expect(shuffled != Array(0..<20))
      // Ten timers are due at each of the two deadlines.
      #expect(shuffled.prefix(10).sorted() == Array(0..<10))
      #expect(shuffled.suffix(10).sorted() == Array(10..<20))
    }
  }

  @Test("overdue timers fire in deadline order, with every seed")
  func overdue() throws {
    for seed in UInt64(1)...5 {
      let fired = try order(seed: seed, overdue: true)
      #expect(fired.prefix(10).sorted() == Array(0..<10))
    }
  }

  private func order(seed: UInt64?, overdue: Bool = false) throws -> [Int] {
    let stepped = try SteppedLoop(seed: seed)
    var fired: [Int] = []
    for number in 0..<20 {
      stepped.loop.addTimer(after: .seconds(number < 10 ? 1 : 2)) { _ in fired.append(number) }
    }
    if overdue { stepped.spend(.seconds(2)) }
    stepped.advance(by: .seconds(2))
    try stepped.close()
    return fired
  }
}
