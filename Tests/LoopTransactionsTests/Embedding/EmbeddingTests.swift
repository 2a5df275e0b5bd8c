import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("Embedding")
struct EmbeddingTests {
  @Test("an idle embedding has no timeout, uses no time, and its descriptor is not readable")
  func idle() throws {  // C5, L7
    try withLoop { loop in
      let embedding = Embedding(loop)
      embedding.settle()
      #expect(embedding.nextTimeout == nil)
      #expect(!waitFor(embedding.pollDescriptor, .zero))
      let before = loop.metrics.ticks
      let end = LoopClock.now.advanced(by: .milliseconds(500))
      var waits = 0
      while LoopClock.now < end {
        let rest = LoopClock.now.duration(to: end) + .milliseconds(1)
        if waitFor(embedding.pollDescriptor, min(embedding.nextTimeout ?? rest, rest)) {
          embedding.turn()
        }
        waits += 1
      }
      #expect(waits <= 3)
      #expect(loop.metrics.ticks == before)
      embedding.cancel()
    }
  }

  @Test("work added between two turns calls onChange once and makes a turn due")  // C5, L5
  func changes() throws {
    try withLoop { loop in
      let trace = Trace()
      loop.budget = .unlimited
      let embedding = Embedding(loop) { trace.record("change") }
      embedding.settle()
      // I31: the first commit calls onChange. The second commit does not call
      // it again.
      loop.commit { trace.record("performed") }
      loop.commit { trace.record("performed too") }
      #expect(embedding.nextTimeout == .zero)
      embedding.turn()
      #expect(trace.take() == ["change", "performed", "performed too"])
      embedding.settle()
      try loop.awaitedPort.post { trace.record("posted") }
      embedding.turn()
      #expect(trace.take() == ["change", "posted"])
      embedding.settle()
      let start = LoopClock.now
      loop.addTimer(after: .milliseconds(30)) { _ in trace.record("fired") }
      // onChange is called once for both timers.
      let other = loop.addTimer(after: .seconds(100)) { _ in trace.record("other") }
      let timeout = embedding.nextTimeout ?? .seconds(1)
      // Less than 30 ms may be left, if this process lost the processor.
      let elapsed = start.duration(to: LoopClock.now)
      #expect(timeout > .milliseconds(20) - elapsed && timeout <= .milliseconds(31))
      spin(for: .milliseconds(10))
      #expect(embedding.nextTimeout ?? .seconds(1) <= .milliseconds(21))
      embedding.host { trace.events.count == 2 }
      #expect(trace.take() == ["change", "fired"])
      other.cancel()
      embedding.cancel()
    }
  }

  @Test("onChange is not called within a turn, since the host asks for the timeout afterwards")
  func withinTurns() throws {  // C5
    try withLoop { loop in
      let trace = Trace()
      let embedding = Embedding(loop) { trace.record("change") }
      loop.addObserver(for: .afterWaiting, repeats: false) { [unowned loop] _ in
        loop.commit { trace.record("performed") }
      }
      loop.addObserver(for: .beforeWaiting, order: .max, repeats: false) { [unowned loop] _ in
        loop.commit { trace.record("performed too") }
      }
      embedding.turn()
      #expect(trace.events == ["performed"])
      #expect(embedding.nextTimeout == .zero)
      embedding.turn()
      #expect(trace.events == ["performed", "performed too"])
      embedding.cancel()
    }
  }

  @Test("timers fire on time, precise ones through the descriptor alone")  // C5, L10
  func timers() throws {
    try withLoop { loop in
      let embedding = Embedding(loop)
      embedding.settle()
      var late: [Duration] = []
      for step in [5, 12, 20] {
        loop.addTimer(after: .milliseconds(step)) { [unowned loop] firing in
          late.append(firing.deadline.duration(to: loop.now))
        }
      }
      let deadline = loop.now.advanced(by: .milliseconds(9))
      try loop.addPreciseTimer(at: deadline) { [unowned loop] firing in
        late.append(firing.deadline.duration(to: loop.now))
      }
      let turns = embedding.host { late.count == 4 }
      #expect(turns <= 12)
      #expect(late.allSatisfy { $0 >= .zero })
      embedding.cancel()
    }
  }

  @Test("work that exceeds a turn's budget makes the next turn due")  // C5, L9
  func budget() throws {
    try withLoop { loop in
      let (embedding, ran) = (Embedding(loop), Tally())
      loop.budget = EventLoop.Budget(count: 1)
      for _ in 0..<3 { loop.commit { ran.increment() } }
      for count in 1...3 {
        #expect(embedding.nextTimeout == .zero)
        embedding.turn()
        #expect(ran.value == count)
      }
      embedding.cancel()
    }
  }

  @Test("a stepped loop can be embedded, and its timeout follows its own clock")  // C5, C6
  func stepped() throws {
    try withSteppedLoop { stepped in
      let embedding = Embedding(stepped.loop)
      stepped.loop.addTimer(after: .seconds(60)) { _ in stepped.trace.record("fired") }
      embedding.settle()
      #expect(embedding.nextTimeout == .seconds(60))
      stepped.spend(.seconds(60))
      #expect(embedding.nextTimeout == .zero)
      embedding.turn()
      #expect(stepped.trace.events == ["fired"])
      embedding.cancel()
    }
  }

  @Test("an adopted loop can be embedded, and serves its host's handles in turns")  // C5
  func adopted() throws {
    try withAdoptedLoop { host, loop in
      let (embedding, trace) = (Embedding(loop), Trace())
      let poll = ForeignHandle(.poll, on: host.address) { handle in
        handle.stop()
        loop.commit { trace.record("performed") }
      }
      poll.start().send()
      embedding.host { !trace.events.isEmpty }
      poll.close()
      embedding.cancel()
    }
  }

  @Test("usage errors trap", arguments: ["run", "twice", "nested", "ended"])  // C5, L8
  func misuse(name: String) async {
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) { [name] in
      let loop = try EventLoop()
      let embedding = Embedding(loop)
      switch name {
      case "run": loop.run(.noWait)
      case "twice": _ = Embedding(loop)
      case "nested":
        loop.commit { embedding.turn() }
        embedding.turn()
      default:
        embedding.cancel()
        embedding.turn()
      }
    }
    let messages = [
      "run": "EventLoop.run: the loop is embedded in a host",
      "twice": "Embedding.init: the loop is already embedded",
      "nested": "EventLoop.run: must not be called from inside run()",
      "ended": "Embedding.turn: the embedding was cancelled or the loop closed",
    ]
    #expect(said(result, messages[name] ?? ""))
  }
}
