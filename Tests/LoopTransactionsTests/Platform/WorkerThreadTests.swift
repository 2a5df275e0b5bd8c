import CUV
import LoopTransactions
import TestSupport
import Testing

@Suite("WorkerThread", .enabled(if: Process.threadNames != nil))
struct WorkerThreadTests {
  // O1
  @Test("worker threads are named after their scheduler, truncated to the system's limit")
  func names() {
    let scheduler = OperationScheduler.alone("decode-thumbnails", workers: 3)
    let short = OperationScheduler.alone("disk", workers: 1)
    let frozen = [FrozenWorkers(scheduler, 3), FrozenWorkers(short, 1)]
    // Linux shows 15 bytes, and may omit a thread from a list if another one
    // ends at the same time.
    for (name, count) in [("decode-thumbnai", 3), ("disk", 1)] {
      #expect(inTime { Process.threadNames?.count { $0 == name } == count }, "\(name)")
    }
    for workers in frozen { workers.thaw() }
  }

  // O1
  @Test("a call that fails for lack of resources is retried a limited number of times")
  func scarce() {
    let attempt: @convention(c) (UnsafeMutableRawPointer?) -> Int32 = { context in
      let attempts = context?.assumingMemoryBound(to: Attempts.self)
      return attempts?.pointee.answer() ?? EINVAL
    }
    for (refused, error, answer, count) in [
      (0, EAGAIN, 0, 1), (9, EAGAIN, 0, 10), (1, EPERM, EPERM, 1), (.max, EAGAIN, EAGAIN, 11),
    ] {
      var attempts = Attempts(refused: refused, error: error)
      #expect(lt_while_scarce(attempt, &attempts) == answer)
      #expect(attempts.count == count)
    }
  }
}

private struct Attempts {
  var refused: Int
  let error: Int32
  var count = 0

  mutating func answer() -> Int32 {
    count += 1
    return count <= refused ? error : 0
  }
}
