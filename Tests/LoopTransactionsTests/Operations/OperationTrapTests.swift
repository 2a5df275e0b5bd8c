import LoopTransactions
import TestSupport
import Testing

@Suite("Operations: misuse")
struct OperationTrapTests {
  @Test("a cap of 0, or below, traps")
  func caps() async {
    await #expect(processExitsWith: .failure) { _ = OperationScheduler("none", workerLimit: 0) }
    await #expect(processExitsWith: .failure) { OperationScheduler.shared.workerLimit = -1 }
    await #expect(processExitsWith: .failure) { OperationScheduler.processWorkerLimit = 0 }
    await #expect(processExitsWith: .failure) { _ = SerialQueuePool("none", count: 0) }
    await #expect(processExitsWith: .failure) { _ = SerialQueuePool("many", count: 33) }
    await #expect(processExitsWith: .failure) { OperationScheduler.shared.apply(-1) { _ in } }
  }

  // O6, carried-over i
  @Test("adding after the commit, and committing twice, trap")
  func committed() async {
    await #expect(processExitsWith: .failure) {
      let loop = try EventLoop()
      let transaction = AsyncTransaction(on: loop)
      transaction.commit()
      transaction.add { _ in }
    }
    await #expect(processExitsWith: .failure) {
      let loop = try EventLoop()
      let transaction = AsyncTransaction(on: loop)
      transaction.commit()
      transaction.commit()
    }
    await #expect(processExitsWith: .failure) {
      let loop = try EventLoop()
      let transaction = AsyncTransaction(on: loop)
      transaction.waitUntilComplete()
      transaction.whenComplete { _ in }
    }
    await #expect(processExitsWith: .failure) {
      let loop = try EventLoop()
      let transaction = AsyncTransaction(on: loop)
      transaction.commit()
      loop.transactionGroup.add(transaction)
    }
  }

  // O6, carried-over i
  @Test("cancelling one that is open, and dropping one with operations, trap")
  func open() async {
    await #expect(processExitsWith: .failure) {
      let loop = try EventLoop()
      AsyncTransaction(on: loop).cancel()
    }
    await #expect(processExitsWith: .failure) {
      let loop = try EventLoop()
      AsyncTransaction(on: loop).add { _ in }
    }
    await #expect(processExitsWith: .success) {
      let loop = try EventLoop()
      _ = AsyncTransaction(on: loop)
      try loop.close()
    }
  }

  // O9, carried-over j
  @Test("waiting from a worker, and from a completion of its own, traps")
  func waiting() async {
    await #expect(processExitsWith: .failure) {
      let loop = try EventLoop()
      let transaction = Smuggled(AsyncTransaction(on: loop, scheduler: .alone()))
      transaction.value.add { _ in transaction.value.waitUntilComplete() }
      transaction.value.commit()
      loop.run()
    }
    await #expect(processExitsWith: .failure) {
      let loop = try EventLoop()
      let transaction = AsyncTransaction(on: loop, scheduler: .alone())
      transaction.add { _ in
      } completion: { _ in
        transaction.waitUntilComplete()
      }
      transaction.commit()
      loop.run()
    }
  }

  // O9
  @Test("postAndWait on the loop's own thread traps")
  func onLoop() async {
    await #expect(processExitsWith: .failure) {
      let loop = try EventLoop()
      try loop.port.postAndWait {}
    }
  }
}
