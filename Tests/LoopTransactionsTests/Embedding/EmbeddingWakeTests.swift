import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("Embedding: wakes")
struct EmbeddingWakeTests {
  @Test("posts wake a host that polls, with one write per burst")  // C5, L6
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

  @Test("10,000 posts from another thread, one by one, each reach a host that blocks")  // C5, L6
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
      try loop.addPreciseTimer(at: loop.now.advanced(by: .milliseconds(20))) { _ in
        trace.record("timer")
      }
      embedding.settle()
      #expect(embedding.nextTimeout == nil)
      // The timer has already fired if this process lost the processor.
      if trace.events.isEmpty {
        #expect(waitFor(embedding.pollDescriptor, .seconds(10)))
        embedding.turn()
        embedding.settle()
      }
      TestThread.run { try? port.post { trace.record("post") } }
      #expect(waitFor(embedding.pollDescriptor, .seconds(10)))
      embedding.turn()
      #expect(trace.events == ["timer", "post"])
      embedding.cancel()
    }
  }

  @Test("a host's own wake is called once per burst, and not after the embedding has ended")
  func ownWake() throws {  // C5, L6
    try withLoop { loop in
      let (port, wakes, takes) = (loop.awaitedPort, Tally(), Tally())
      let embedding = Embedding(loop, wake: { wakes.increment() <= 2 || takes.value > 0 })
      embedding.settle()
      for round in 1...2 {
        TestThread.run { for _ in 0..<10 { try? port.post {} } }
        #expect(wakes.value == round)
        #expect(!waitFor(embedding.pollDescriptor, .zero), "the descriptor was also written to")
        #expect(embedding.nextTimeout == .zero)
        embedding.settle()
      }
      // The host's wake returns false, so the descriptor is used.
      TestThread.run { try? port.post { takes.increment() } }
      #expect(wakes.value == 3)
      #expect(waitFor(embedding.pollDescriptor, .zero))
      embedding.settle()
      #expect(takes.value == 1)
      // wake() uses the descriptor too. It may be called in a signal handler,
      // which must not call the host's function.
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

  @Test("a host woken by its own function misses none of 10,000 posts, across many embeddings")
  func ownWakes() throws {  // C5, L6
    try withLoop { loop in
      let (port, ran, gate) = (loop.awaitedPort, Tally(), Gate())
      let threads = (0..<4).map { _ in
        TestThread { for _ in 0..<2500 { try? port.post { ran.increment() } } }
      }
      // Each embedding receives a part of the posts.
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
