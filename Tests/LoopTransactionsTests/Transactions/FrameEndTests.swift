import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

// T11
@Suite("Commits at a clock's next frame: idle, closed and forked loops")
struct FrameEndTests {
  @Test("a clock without a closure makes no tick and keeps no run alive, unless a commit waits")
  func idle() throws {  // L7
    try withLoop { loop in
      let card = Card("a", Trace())
      let screen = try FrameClock(on: loop, framesPerSecond: 1000)
      #expect(loop.run() == .finished)
      loop.commit(card, Card.layout, atNextFrameOf: screen)
      #expect(loop.run() == .finished)
      #expect(card.trace.events == ["a.layout"])
      let before = loop.metrics.ticks
      let end = loop.now.advanced(by: .milliseconds(100))
      loop.addTimer(after: .milliseconds(100)) { _ in }
      #expect(loop.run(until: end.advanced(by: .seconds(60))) == .finished)
      #expect(loop.metrics.ticks - before <= 3)
      #expect(screen.isActive)
    }
  }

  @Test("an embedded loop asks for no turn, except at the frame of a waiting commit")
  func embedded() throws {  // C5, L7
    try stepping { stepped in
      let (loop, card) = (stepped.loop, Card("a", stepped.trace))
      let screen = try FrameClock(on: loop, framesPerSecond: 50)
      var changes = 0
      let embedding = Embedding(loop) { changes += 1 }
      embedding.turn()
      #expect(embedding.nextTimeout == nil)
      loop.commit(card, Card.layout, atNextFrameOf: screen)
      #expect(changes == 1)
      #expect(embedding.nextTimeout == .milliseconds(20))
      loop.commit(card, Card.layout, atNextFrameOf: screen)
      #expect(changes == 1)
      loop.cancel(card, Card.layout)
      #expect(embedding.nextTimeout == nil)
      embedding.cancel()
    }
  }

  @Test("on the system's clock, a cancelled commit turns the timer off again")
  func withdrawn() throws {  // L7
    try withLoop { loop in
      let card = Card("a", Trace())
      let screen = try FrameClock(on: loop, framesPerSecond: 0.01)
      loop.commit(card, Card.layout, atNextFrameOf: screen)
      loop.addTimer(after: .milliseconds(1)) { _ in loop.cancel(card, Card.layout) }
      #expect(loop.runInTime() == .finished)
      #expect(card.trace.events == [])
    }
  }

  @Test("on the system's clock, five frames take at least five periods")
  func realTime() throws {
    try withLoop { loop in
      let start = loop.now
      let screen = try FrameClock(on: loop, framesPerSecond: 200)
      var left = 5
      let card = Card("a", Trace()) { card in
        left -= 1
        if left > 0 { loop.commit(card, Card.run, atNextFrameOf: screen) }
      }
      loop.commit(card, Card.run, atNextFrameOf: screen)
      #expect(loop.runInTime() == .finished)
      #expect(left == 0)
      #expect(start.duration(to: loop.now) >= .milliseconds(25))
    }
  }

  @Test("close() performs waiting pairs, and commits made meanwhile")
  func close() throws {  // L11
    let trace = Trace()
    let loop = try EventLoop()
    let screen = try FrameClock(on: loop, framesPerSecond: 1)
    let hosted = FrameClock(hostedOn: loop) {}
    let other = Card("b", trace)
    let card = Card("a", trace) { [unowned loop] card in
      card.record("run")
      loop.commit(other, Card.layout, atNextFrameOf: screen)
    }
    loop.commit(card, Card.run, atNextFrameOf: hosted)
    try loop.close()
    #expect(trace.events == ["a.run", "b.layout"])
    #expect(!screen.isActive && !hosted.isActive)
    hosted.beginFrame()
    hosted.cancel()
  }

  @Test("a run that is stopped leaves waiting pairs to the next run")
  func stop() throws {  // L8
    try withLoop { loop in
      let card = Card("a", Trace())
      let screen = try FrameClock(on: loop, framesPerSecond: 100)
      loop.commit(card, Card.layout, atNextFrameOf: screen)
      loop.stop()
      #expect(loop.run() == .stopped)
      #expect(loop.isPending(card, Card.layout))
      #expect(loop.run() == .finished)
      #expect(card.trace.events == ["a.layout"])
    }
  }

  @Test("a loop that is released while open releases waiting targets, and performs none")
  func releasedOpen() {  // L11
    TestThread.run {
      // The loop is never closed.
      Interposed.forgiveLeaks()
      #expect(throws: Never.self) { try Self.releaseOpen() }
    }
  }

  private static func releaseOpen() throws {
    let trace = Trace()
    var loop: EventLoop? = try EventLoop()
    let screen = try FrameClock(on: #require(loop))
    let probe = ReleaseProbe(trace)
    let touch = try PortTransaction(
      probe,
      ReleaseProbe.touch,
      on: #require(loop).port,
      atNextFrameOf: screen
    )
    elsewhere { try? touch.commit() }
    loop?.run(.noWait)
    loop?.commit(ReleaseProbe(trace), ReleaseProbe.touch, atNextFrameOf: screen)
    loop = nil
    #expect(trace.events == ["released here"])
    elsewhere { #expect(throws: LoopPort.PostError.closed) { try touch.commit() } }
    withExtendedLifetime(probe) {}
  }

  @Test("a forked child performs nothing, and leaves the parent's frame alone")
  func fork() async {  // L12
    await #expect(processExitsWith: .success) {
      Process.endInTime()
      let (loop, card) = (try EventLoop(), Card("a", Trace()))
      let screen = try FrameClock(on: loop, framesPerSecond: 20)
      loop.commit(card, Card.layout, atNextFrameOf: screen)
      let ending = Process.fork {
        loop.commit(card, Card.draw, atNextFrameOf: screen)
        loop.cancel(card, Card.layout)
        loop.cancel(card, Card.draw)
        loop.commit(card, Card.draw, atNextFrameOf: screen)
        screen.cancel()
        if !card.trace.events.isEmpty { fatalError("\(card.trace.events)") }
      }
      #expect(ending.status == 0, "\(ending.standardError)")
      #expect(loop.runInTime() == .finished)
      #expect(card.trace.events == ["a.layout"])
      try loop.close()
    }
  }
}
