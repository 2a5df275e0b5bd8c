import LoopTransactions
import TestSupport
import Testing

@Suite("ActiveCores")
struct ActiveCoresTests {
  // O1, O11
  #if os(Linux)
    @Test("kept on one processor, a process has two workers and one queue in a pool")
    func followsAffinity() async {
      await #expect(processExitsWith: .success) {
        #expect(Process.useOneProcessor())
        #expect(OperationScheduler.defaultWorkerLimit == 2)
        #expect(OperationScheduler.processWorkerLimit == 2)
        #expect(SerialQueuePool.defaultCount == 1)
        #expect(SerialQueuePool("test").queues.count == 1)
        // And no more than that work.
        let scheduler = OperationScheduler("kept")
        #expect(scheduler.workerLimit == 2)
        let frozen = FrozenWorkers(scheduler, 2)
        scheduler.add { _ in }
        #expect(scheduler.metrics.workers == 2 && scheduler.metrics.queued == 1)
        frozen.thaw()
      }
    }

    @Test(
      "a group that pays for one processor has two workers and one queue in a pool",
      .enabled(if: Interposed.isAvailable && ActiveCores.allowed > 1)
    )
    func followsQuota() async {
      await #expect(processExitsWith: .success) {
        try Interposed.makeControlGroup(cpuMax: "100000 100000")
        #expect(OperationScheduler.defaultWorkerLimit == 2)
        #expect(OperationScheduler.processWorkerLimit == 2)
        #expect(SerialQueuePool.defaultCount == 1)
      }
    }

    @Test(
      "a group that pays for more than the process may run on changes nothing",
      .enabled(if: Interposed.isAvailable)
    )
    func quotaBeyondAffinity() async {
      await #expect(processExitsWith: .success) {
        try Interposed.makeControlGroup(cpuMax: "100000000 100000")
        #expect(Process.useOneProcessor())
        #expect(OperationScheduler.defaultWorkerLimit == 2)
      }
    }
  #endif
}
