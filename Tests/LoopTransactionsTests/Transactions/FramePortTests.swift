import LoopTransactions
import LoopTransactionsTesting
import Testing

// T11, T6
@Suite("PortTransaction with a frame clock")
struct FramePortTransactionTests {
  @Test("commits of another thread make one wake and one action per frame")
  func oneWake() throws {
    try stepping { stepped in
      let loop = stepped.loop
      let screen = try FrameClock(on: loop, framesPerSecond: 100)
      let card = SharedCard("a", stepped.trace)
      let show = PortTransaction(
        card,
        SharedCard.layout,
        on: loop.port,
        atNextFrameOf: screen
      )
      for frame in 1...3 {
        for _ in 0..<9 {
          elsewhere { for _ in 0..<1000 { try? show.commit() } }
          stepped.advance(by: .milliseconds(1))
        }
        #expect(stepped.trace.take() == [])
        #expect(loop.isPending(card, SharedCard.layout))
        #expect(loop.metrics.posts == UInt64(frame))
        stepped.advance(by: .milliseconds(1))
        #expect(stepped.trace.take() == ["a.layout"])
      }
      #expect(loop.metrics.wakesSent <= 3)
    }
  }

  @Test("values that threads merge under a lock are performed once per frame, and none is lost")
  func values() throws {
    try stepping { stepped in
      let loop = stepped.loop
      let screen = try FrameClock(on: loop, framesPerSecond: 100)
      let meter = Meter(stepped.trace)
      let show = PortTransaction(meter, Meter.show, on: loop.port, atNextFrameOf: screen)
      for frame in 1...3 {
        for _ in 0..<9 {
          everywhere(2) { _ in
            for _ in 0..<100 {
              meter.total.withLock { $0 += 1 }
              try? show.commit()
            }
          }
          stepped.advance(by: .milliseconds(1))
        }
        #expect(loop.metrics.posts == UInt64(frame))
        stepped.advance(by: .milliseconds(1))
        #expect(stepped.trace.take() == ["\(frame * 1800)"])
      }
    }
  }

  enum Way: String, CaseIterable, Codable, Sendable {
    case perform, cancel, commit, endClock, frame
  }

  @Test("a commit made after the pair left the frame is not lost", arguments: Way.allCases)
  func notLost(way: Way) throws {
    try stepping { stepped in
      let loop = stepped.loop
      let screen = try FrameClock(on: loop, framesPerSecond: 100)
      let card = SharedCard("a", stepped.trace)
      let port = loop.port
      let show = PortTransaction(card, SharedCard.layout, on: port, atNextFrameOf: screen)
      elsewhere { try? show.commit() }
      stepped.step()
      #expect(loop.isPending(card, SharedCard.layout))
      switch way {
      case .perform: loop.performIfNeeded(card, SharedCard.layout)
      case .cancel: loop.cancel(card, SharedCard.layout)
      case .commit:
        loop.commit(card, SharedCard.layout)
        stepped.step()
      case .endClock:
        screen.cancel()
        stepped.step()
      case .frame: stepped.advance(by: .milliseconds(10))
      }
      #expect(stepped.trace.take() == (way == .cancel ? [] : ["a.layout"]))
      elsewhere { try? show.commit() }
      stepped.advance(by: .milliseconds(10))
      #expect(stepped.trace.take() == ["a.layout"])
    }
  }

  @Test("on the loop's thread the pair waits at once, and after the clock ended it does not wait")
  func onTheLoop() throws {
    try stepping { stepped in
      let loop = stepped.loop
      let card = SharedCard("a", stepped.trace)
      var screen: FrameClock? = try FrameClock(on: loop, framesPerSecond: 100)
      let show = try PortTransaction(
        card,
        SharedCard.layout,
        on: loop.port,
        atNextFrameOf: #require(screen)
      )
      try show.commit()
      #expect(loop.isPending(card, SharedCard.layout))
      stepped.step()
      #expect(stepped.trace.take() == [])
      stepped.advance(by: .milliseconds(10))
      #expect(stepped.trace.take() == ["a.layout"])
      screen?.cancel()
      screen = nil
      try show.commit()
      stepped.step()
      #expect(stepped.trace.take() == ["a.layout"])
      elsewhere { try? show.commit() }
      stepped.step()
      #expect(stepped.trace.take() == ["a.layout"])
    }
  }

  @Test("a commit of another thread holds the target of a pair that waits weakly")  // T5
  func holdsWeaklyWaiting() throws {
    for withClock in [true, false] {
      try stepping { stepped in
        let (loop, port) = (stepped.loop, stepped.loop.port)
        let screen = try FrameClock(on: loop, framesPerSecond: 100)
        do {
          let card = SharedCard("a", stepped.trace)
          let waiting = Transaction(card, SharedCard.layout, on: loop, hold: .weak)
          waiting.commit(atNextFrameOf: screen)
          let show =
            withClock
            ? PortTransaction(card, SharedCard.layout, on: port, atNextFrameOf: screen)
            : PortTransaction(card, SharedCard.layout, on: port)
          elsewhere { try? show.commit() }
          stepped.step()
        }
        stepped.advance(by: .milliseconds(10))
        #expect(stepped.trace.events == ["a.layout"], "with the clock: \(withClock)")
      }
    }
  }

  @Test("a transaction that was released while its pair waits retains neither itself nor the port")
  func releasedWhileWaiting() throws {
    try stepping { stepped in
      let loop = stepped.loop
      let screen = FrameClock(hostedOn: loop) {}
      let (card, other) = (SharedCard("a", stepped.trace), SharedCard("b", stepped.trace))
      var commitsOnChange = false
      // Releasing the last port calls the host. Committing there must find the
      // clock's list in order.
      let embedding = Embedding(loop) {
        guard commitsOnChange else { return }
        commitsOnChange = false
        loop.commit(other, SharedCard.layout, atNextFrameOf: screen)
      }
      embedding.turn()
      weak var released: PortTransaction?
      do {
        let show = PortTransaction(card, SharedCard.layout, on: loop.port, atNextFrameOf: screen)
        released = show
        elsewhere { try? show.commit() }
      }
      embedding.turn()
      #expect(released == nil)
      #expect(loop.isPending(card, SharedCard.layout))
      commitsOnChange = true
      #expect(loop.cancel(card, SharedCard.layout))
      commitsOnChange = false
      loop.commit(other, SharedCard.layout, atNextFrameOf: screen)
      #expect(loop.metrics.pendingTransactions == 1)
      screen.beginFrame()
      #expect(stepped.trace.take() == ["b.layout"])
      embedding.cancel()
    }
  }

  @Test("20,000 marked pairs are cancelled, and each can be committed again")
  func manyMarks() throws {
    try stepping { stepped in
      let loop = stepped.loop
      let screen = FrameClock(hostedOn: loop) {}
      let cards = (0..<20_000).map { _ in SharedCard("a", Trace()) }
      let shows = cards.map {
        PortTransaction($0, SharedCard.layout, on: loop.port, atNextFrameOf: screen)
      }
      let commitAll = { elsewhere { for show in shows { try? show.commit() } } }
      for _ in 0..<2 {
        commitAll()
        loop.run(.noWait)
        while loop.metrics.pendingPosts > 0 { loop.run(.noWait) }
        #expect(loop.metrics.pendingTransactions == 20_000)
        for card in cards { loop.cancel(card, SharedCard.layout) }
        #expect(loop.metrics.pendingTransactions == 0)
      }
    }
  }
}

/// Shows a number that threads increase.
private final class Meter: Sendable {
  static let show = Selector<Meter>("show") { meter in
    meter.trace.record("\(meter.total.withLock { $0 })")
  }

  let total = Locked(0)
  let trace: Trace

  init(_ trace: Trace) { self.trace = trace }
}
