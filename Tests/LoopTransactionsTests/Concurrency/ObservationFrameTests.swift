import LoopTransactions
import LoopTransactionsTesting
import Observation
import TestSupport
import Testing

@Observable
private final class Model: @unchecked Sendable {
  // @unchecked: the tests change it on one thread at a time.
  var title = "a"
}

private final class Label: Sendable {
  static let layout = Selector<Label>.withObservation("layout at frames") {
    $0.trace.record($0.model.title)
  }

  let model: Model
  let trace: Trace

  init(_ model: Model, _ trace: Trace) { (self.model, self.trace) = (model, trace) }
}

// T11, C4
@Suite("Selector.withObservation with a frame clock")
struct ObservationFrameTests {
  enum Way: CaseIterable, Sendable {
    case loop, kept, keptWeakly, port, otherThread
  }

  @Test("changes of a model commit the pair for the clock's next frame", arguments: Way.allCases)
  func atFrames(_ way: Way) throws {
    try stepping { stepped in
      let loop = stepped.loop
      let screen = try FrameClock(on: loop, framesPerSecond: 100)
      let label = Label(Model(), stepped.trace)
      let (layout, port) = (Label.layout, loop.port)
      let kept = Transaction(label, layout, on: loop, hold: way == .keptWeakly ? .weak : .strong)
      let shared = PortTransaction(label, layout, on: port, atNextFrameOf: screen)
      switch way {
      case .loop: loop.commit(label, layout, atNextFrameOf: screen)
      case .kept, .keptWeakly: kept.commit(atNextFrameOf: screen)
      case .port: try shared.commit()
      case .otherThread: elsewhere { try? shared.commit() }
      }
      stepped.advance(by: .milliseconds(10))
      #expect(stepped.trace.take() == ["a"])
      for frame in 1...3 {
        for change in 1...9 {
          label.model.title = "\(frame).\(change)"
          stepped.advance(by: .milliseconds(1))
        }
        #expect(stepped.trace.take() == [])
        stepped.advance(by: .milliseconds(1))
        #expect(stepped.trace.take() == ["\(frame).9"])
      }
      #expect(stepped.runUntilIdle() == 0)
    }
  }

  @Test("changes on another thread make one wake and one action per frame")
  func elsewhereChanged() throws {
    try stepping { stepped in
      let loop = stepped.loop
      let screen = try FrameClock(on: loop, framesPerSecond: 100)
      let label = Label(Model(), stepped.trace)
      loop.commit(label, Label.layout, atNextFrameOf: screen)
      stepped.advance(by: .milliseconds(10))
      stepped.trace.take()
      for frame in 1...3 {
        for change in 1...9 {
          elsewhere { label.model.title = "\(frame).\(change)" }
          stepped.advance(by: .milliseconds(1))
        }
        #expect(stepped.trace.take() == [])
        #expect(loop.metrics.posts == UInt64(frame))
        stepped.advance(by: .milliseconds(1))
        #expect(stepped.trace.take() == ["\(frame).9"])
      }
    }
  }

  @Test("a commit without the clock is performed in the tick, and later changes at frames")
  func broughtForward() throws {
    try stepping { stepped in
      let loop = stepped.loop
      let screen = try FrameClock(on: loop, framesPerSecond: 100)
      let label = Label(Model(), stepped.trace)
      loop.commit(label, Label.layout, atNextFrameOf: screen)
      loop.commit(label, Label.layout)
      stepped.step()
      #expect(stepped.trace.take() == ["a"])
      label.model.title = "b"
      stepped.step()
      #expect(stepped.trace.take() == [])
      stepped.advance(by: .milliseconds(10))
      #expect(stepped.trace.take() == ["b"])
    }
  }

  @Test("after the clock was cancelled or released, changes are performed in the tick")
  func cancelled() throws {
    try stepping { stepped in
      let loop = stepped.loop
      let label = Label(Model(), stepped.trace)
      var screen: FrameClock? = try FrameClock(on: loop, framesPerSecond: 100)
      try loop.commit(label, Label.layout, atNextFrameOf: #require(screen))
      screen?.cancel()
      stepped.step()
      label.model.title = "b"
      stepped.step()
      screen = nil
      label.model.title = "c"
      stepped.step()
      #expect(stepped.trace.take() == ["a", "b", "c"])
    }
  }

  @Test("a target that only ever waits is swept once it is dead")
  func swept() throws {
    try stepping { stepped in
      let loop = stepped.loop
      let screen = FrameClock(hostedOn: loop) {}
      for _ in 0..<1000 {
        let label = Label(Model(), stepped.trace)
        loop.commit(label, Label.layout, atNextFrameOf: screen)
        loop.cancel(label, Label.layout)
      }
      #expect(loop.observedCount <= 32)
    }
  }
}
