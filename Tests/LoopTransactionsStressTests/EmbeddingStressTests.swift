import LoopTransactions
import TestSupport
import Testing

@Suite("Stress: embedding", .serialized)
struct EmbeddingStressTests {
  /// The host's state. The wake callback reads it, so it must not be used after
  /// the embedding has ended.
  private final class Host: @unchecked Sendable {
    // @unchecked: `isOver` is set after `cancel()` has waited for all callers
    // of the wake. The test checks exactly that.
    var isOver = false
  }

  @Test("after an embedding has ended, no thread calls its wake or is still inside it")
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
      let limit = ContinuousClock.now + .seconds(60)
      while rounds < Workload.count(2000)
        || (loop.metrics.wakesSent == 0 && ContinuousClock.now < limit)
      {
        rounds += 1
        let host = Host()
        let embedding = Embedding(
          loop,
          wake: {
            // Yield, so that other threads run here, including the loop's.
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
