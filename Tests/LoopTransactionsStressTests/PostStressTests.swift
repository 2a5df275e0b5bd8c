import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("Stress: awaited calls and delayed posts", .serialized)
struct PostStressTests {
  // C1, L2
  @Test("each awaited call of 8 tasks ends once, and its closure ran exactly if it has a value")
  func calls() async throws {
    let running = try RunningLoop()
    let workers = OperationScheduler("stress", workerLimit: 4, permits: WorkerPermits(limit: 4))
    let (port, counts) = (running.port, CallCounts())
    let count = Workload.count(40_000)
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        let seed = Workload.seed &* 13 &+ UInt64(number)
        group.addTask(executorPreference: workers) {
          await Self.call(port, count, seed, on: workers, counts)
          // The others call while the loop closes.
          port.stop()
        }
      }
    }
    running.stop()
    #expect(counts.wrong.value == 0)
    #expect(counts.ran.value == counts.values.value)
    #expect(counts.values.value > 0 && counts.cancelled.value > 0)
    let ended = counts.values.value + counts.cancelled.value + counts.refused.value
    #expect(ended == 8 * count)
  }

  private static func call(
    _ port: LoopPort,
    _ count: Int,
    _ seed: UInt64,
    on workers: OperationScheduler,
    _ counts: CallCounts
  ) async {
    var generator = SeededGenerator(seed: seed)
    for number in 0..<count {
      let task = Task(executorPreference: workers) {
        try await port.run { _ in
          counts.ran.increment()
          return number
        }
      }
      if generator.next() % 4 == 0 { task.cancel() }
      switch await task.result {
      case .success(number): counts.values.increment()
      case .failure(is CancellationError): counts.cancelled.increment()
      case .failure(LoopPort.PostError.closed): counts.refused.increment()
      default: counts.wrong.increment()
      }
    }
  }

  // E8, L2
  @Test("each delayed post of 4 threads ends in one state and is released once")
  func delayed() throws {
    let loop = try EventLoop()
    let (port, counts, finished) = (loop.awaitedPort, PostCounts(), Tally())
    let count = Workload.count(50_000)
    let threads = (0..<4).map { number in
      let seed = Workload.seed &* 19 &+ UInt64(number)
      return TestThread {
        counts.posts.withLock { $0 += Self.post(port, count, seed, counts) }
        finished.increment()
        port.stop()
      }
    }
    // The other threads post while the loop closes.
    while finished.value < 1 { loop.run() }
    try loop.close()
    for thread in threads { thread.join() }
    let states = counts.posts.withLock { posts in posts.map(\.state) }
    #expect(!states.contains(.waiting))
    #expect(states.count { $0 == .performed } == counts.ran.value)
    #expect(states.count { $0 == .cancelled } == counts.cancelled.value)
    #expect(counts.ran.value > 0 && counts.cancelled.value > 0)
    #expect(counts.released.value == 4 * count)
  }

  private static func post(
    _ port: LoopPort,
    _ count: Int,
    _ seed: UInt64,
    _ counts: PostCounts
  ) -> [DelayedPost] {
    var generator = SeededGenerator(seed: seed)
    var posts: [DelayedPost] = []
    for _ in 0..<count {
      let witness = Witness { counts.released.increment() }
      let delay = Duration.microseconds(Int.random(in: 0..<3000, using: &generator))
      let post = try? port.post(after: delay) {
        witness.touch()
        counts.ran.increment()
      }
      guard let post else { continue }
      posts.append(post)
      // One of the last 64, which may be due.
      let other = posts[Int.random(in: max(0, posts.count - 64)..<posts.count, using: &generator)]
      if generator.next() % 2 == 0, other.cancel() { counts.cancelled.increment() }
    }
    return posts
  }
}

/// How awaited calls ended.
private final class CallCounts: Sendable {
  let (ran, values, cancelled, refused) = (Tally(), Tally(), Tally(), Tally())
  let wrong = Tally()
}

/// How delayed posts ended.
private final class PostCounts: Sendable {
  let posts = Locked<[DelayedPost]>([])
  let (ran, cancelled, released) = (Tally(), Tally(), Tally())
}
