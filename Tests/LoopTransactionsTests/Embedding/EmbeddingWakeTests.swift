import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("What wakes the host of an embedded loop")
struct EmbeddingWakeTests {
  @Test("a host that polls is woken by posts, by one write a burst")  // C5, L6
  func posts() throws {
    try withLoop { loop in
      let (port, embedding, trace) = (loop.awaitedPort, Embedding(loop), Trace())
      for name in ["first", "second", "third"] {
        TestThread.run { for _ in 0..<10 { try? port.post { trace.record(name) } } }
        embedding.host { trace.events.count >= 10 }
        #expect(trace.take() == Array(repeating: name, count: 10))
        embedding.settle()
      }
      #expect(loop.metrics.wakesSent <= 3)
      embedding.cancel()
    }
  }

  @Test("posts from another thread reach a host that blocks, 10,000 of them one by one")  // C5, L6
  func pingPong() throws {
    try withLoop { loop in
      let (port, embedding, ran, answered) = (loop.awaitedPort, Embedding(loop), Tally(), Gate())
      let thread = TestThread {
        for _ in 0..<10_000 {
          try? port.post {
            ran.increment()
            answered.open()
          }
          answered.wait()
        }
      }
      embedding.host { ran.value == 10_000 }
      thread.join()
      embedding.cancel()
    }
  }

  @Test("an outer epoll that watches only the descriptor sees posts and precise timers")  // C5
  func nestedPoll() throws {
    try withLoop { loop in
      let (embedding, trace, port) = (Embedding(loop), Trace(), loop.awaitedPort)
      embedding.settle()
      try loop.addPreciseTimer(at: loop.now.advanced(by: .milliseconds(5))) { _ in
        trace.record("timer")
      }
      embedding.settle()
      #expect(embedding.nextTimeout == nil)
      #expect(waitFor(embedding.pollDescriptor, .seconds(10)))
      embedding.turn()
      embedding.settle()
      TestThread.run { try? port.post { trace.record("post") } }
      #expect(waitFor(embedding.pollDescriptor, .seconds(10)))
      embedding.turn()
      #expect(trace.events == ["timer", "post"])
      embedding.cancel()
    }
  }

  @Test("a host's own wake is called once a burst, and not once it has ended")  // C5, L6
  func ownWake() throws {
    try withLoop { loop in
      let (port, wakes, takes) = (loop.awaitedPort, Tally(), Tally())
      let embedding = Embedding(loop, wake: { wakes.increment() <= 2 || takes.value > 0 })
      embedding.settle()
      for round in 1...2 {
        TestThread.run { for _ in 0..<10 { try? port.post {} } }
        #expect(wakes.value == round)
        #expect(!waitFor(embedding.pollDescriptor, .zero), "written to as well")
        #expect(embedding.nextTimeout == .zero)
        embedding.settle()
      }
      // It does not want to: then by the descriptor.
      TestThread.run { try? port.post { takes.increment() } }
      #expect(wakes.value == 3)
      #expect(waitFor(embedding.pollDescriptor, .zero))
      embedding.settle()
      #expect(takes.value == 1)
      // From a signal handler, too, where a host can not be called.
      TestThread.run { port.wake() }
      #expect(wakes.value == 3)
      #expect(waitFor(embedding.pollDescriptor, .zero))
      embedding.settle()
      embedding.cancel()
      let next = Embedding(loop)
      next.settle()
      TestThread.run { try? port.post {} }
      #expect(wakes.value == 3)
      #expect(waitFor(next.pollDescriptor, .zero))
      next.cancel()
    }
  }

  @Test("a host that is woken by its own call misses none of 10,000 posts, and ends")  // C5, L6
  func ownWakes() throws {
    try withLoop { loop in
      let (port, ran, gate) = (loop.awaitedPort, Tally(), Gate())
      let threads = (0..<4).map { _ in
        TestThread { for _ in 0..<2500 { try? port.post { ran.increment() } } }
      }
      // Each embedding sees some of it.
      while ran.value < 10_000 {
        let embedding = Embedding(
          loop,
          wake: {
            gate.open()
            return true
          }
        )
        let end = min(ran.value + 1000, 10_000)
        while ran.value < end {
          if embedding.nextTimeout != .zero { #expect(gate.waitInTime()) }
          embedding.turn()
        }
        embedding.cancel()
      }
      for thread in threads { thread.join() }
      #expect(ran.value == 10_000)
    }
  }
}
