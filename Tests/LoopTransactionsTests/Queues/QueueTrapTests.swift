import LoopTransactions
import LoopTransactionsTesting
import Testing

// Q2, Q8, L1
@Suite("Queues made or used wrongly")
struct QueueTrapTests {
  @Test("a batch of zero traps")
  func batchOfZero() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let loop = try EventLoop()
      _ = RunLoopQueue<Parcel>(on: loop, batchSize: 0, handler: nil)
    }
    #expect(said(result, "BatchSize: must be over zero, got 0; use .unlimited for all"))
  }

  @Test("a negative batch traps")
  func negativeBatch() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = BatchSize(-3)
    }
    #expect(said(result, "BatchSize: must be over zero, got -3; use .unlimited for all"))
  }

  @Test("a capacity of zero traps")
  func capacityOfZero() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = QueueCapacity(0, whenFull: .refuse)
    }
    #expect(said(result, "QueueCapacity: the limit must be over zero, got 0"))
  }

  @Test("making a queue on a thread that is not the loop's traps")
  func madeElsewhere() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let loop = try EventLoop()
      elsewhere { _ = RunLoopQueue<Parcel>(on: loop, handler: nil) }
    }
    #expect(
      said(
        result,
        "RunLoopQueue.init: the loop belongs to another thread; use its port from this one"
      )
    )
  }

  @Test("making a queue on a loop that is closed traps")
  func madeAfterClose() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let loop = try EventLoop()
      try loop.close()
      _ = RunLoopQueue<Parcel>(on: loop, handler: nil)
    }
    #expect(said(result, "RunLoopQueue.init: the loop is closed"))
  }

  @Test("flushing on a thread that is not the loop's traps")
  func flushedElsewhere() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let loop = try EventLoop()
      let queue = RunLoopQueue<Parcel>(on: loop, handler: nil)
      elsewhere { queue.flush() }
    }
    #expect(
      said(
        result,
        "RunLoopQueue.flush: the loop belongs to another thread; use its port from this one"
      )
    )
  }
}
