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
}
