import LoopTransactions
import TestSupport
import Testing

@Suite("WorkerThread", .enabled(if: Process.threadNames != nil))
struct WorkerThreadTests {
  // O1
  @Test("a debugger sees the scheduler's name on its workers, as far as the system shows")
  func names() throws {
    let scheduler = OperationScheduler.alone("decode-thumbnails", workers: 3)
    let short = OperationScheduler.alone("disk", workers: 1)
    let frozen = [FrozenWorkers(scheduler, 3), FrozenWorkers(short, 1)]
    let names = try #require(Process.threadNames)
    // Linux shows 15 bytes.
    #expect(names.count { $0 == "decode-thumbnai" } == 3)
    #expect(names.count { $0 == "disk" } == 1)
    for workers in frozen { workers.thaw() }
  }
}
