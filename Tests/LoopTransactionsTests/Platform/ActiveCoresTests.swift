import LoopTransactions
import TestSupport
import Testing

@Suite("ActiveCores")
struct ActiveCoresTests {
  #if os(Linux)
    // O1, O11
    @Test("a process limited to one processor has two workers and one queue in a pool")
    func followsAffinity() async {
      await #expect(processExitsWith: .success) {
        #expect(Process.useOneProcessor())
        #expect(OperationScheduler.defaultWorkerLimit == 2)
        #expect(OperationScheduler.processWorkerLimit == 2)
        #expect(SerialQueuePool.defaultCount == 1)
        #expect(SerialQueuePool("test").queues.count == 1)
        // A scheduler must also run no more than two workers.
        let scheduler = OperationScheduler("kept")
        #expect(scheduler.workerLimit == 2)
        let frozen = FrozenWorkers(scheduler, 2)
        scheduler.add { _ in }
        #expect(scheduler.metrics.workers == 2 && scheduler.metrics.queued == 1)
        frozen.thaw()
      }
    }

    // O1, O11
    @Test(
      "a control group with a quota of one processor gives two workers and one queue in a pool",
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

    // O1
    @Test(
      "a quota above the number of processors that the process may use changes nothing",
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
