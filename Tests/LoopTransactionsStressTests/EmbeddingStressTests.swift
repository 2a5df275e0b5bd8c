import LoopTransactions
import TestSupport
import Testing

@Suite("Stress: embedding", .serialized)
struct EmbeddingStressTests {
  /// The host's state, which the wake callback reads. No thread may read it
  /// after the embedding has ended.
  private final class Host: @unchecked Sendable {
    // @unchecked: `isOver` is set after `cancel()`, which waits for every
    // thread that is calling the wake. The test checks that it does.
    var isOver = false
  }

  @Test("after an embedding has ended, no thread calls or is still running its wake callback")
  func ends() throws {  // C5, L6, L11
    try withLoop { loop in
      let (port, isLate, isDone) = (loop.awaitedPort, Tally(), Tally())
      let threads = (0..<4).map { _ in
        TestThread {
          while isDone.value == 0 {
            try? port.post {}
            TestThread.yield()
          }
        }
      }
      var rounds = 0
      // Run at least until one of the threads has sent a wake.
      let limit = ContinuousClock.now + .seconds(600)
      while rounds < Workload.count(2000)
        || (loop.metrics.wakesSent == 0 && ContinuousClock.now < limit)
      {
        rounds += 1
        let host = Host()
        let embedding = Embedding(
          loop,
          wake: {
            // Yield, so that the loop's thread may cancel the embedding during
            // this call.
            TestThread.yield()
            if host.isOver { isLate.increment() }
            return true
          }
        )
        embedding.turn()
        TestThread.yield()
        embedding.cancel()
        host.isOver = true
      }
      isDone.increment()
      for thread in threads { thread.join() }
      #expect(isLate.value == 0)
      #expect(loop.metrics.wakesSent > 0)
    }
  }
}
