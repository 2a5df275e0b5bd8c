import LoopTransactions
import TestSupport
import Testing

@Suite("Stress: embedding", .serialized)
struct EmbeddingStressTests {
  /// What a host's wake uses, and nobody may after the end.
  private final class Host: @unchecked Sendable {
    // @unchecked: `isOver` is set when `end()` has waited for who calls the wake; this
    // is what is tested.
    var isOver = false
  }

  @Test("once an embedding has ended, nobody calls its wake or is still in it")  // C5, L6, L11
  func ends() throws {
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
      // At least until a thread has had its turn.
      let limit = ContinuousClock.now + .seconds(60)
      while rounds < Workload.count(2000)
        || (loop.metrics.wakesSent == 0 && ContinuousClock.now < limit)
      {
        rounds += 1
        let host = Host()
        let embedding = Embedding(
          loop,
          wake: {
            // Others run meanwhile, the loop's thread among them.
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
