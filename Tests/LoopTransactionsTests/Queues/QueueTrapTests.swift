import LoopTransactions
import LoopTransactionsTesting
import Testing

// Q2, Q8, L1
@Suite("RunLoopQueue: usage errors")
struct QueueTrapTests {
  @Test("a batch size of zero traps")
  func batchOfZero() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let loop = try EventLoop()
      _ = RunLoopQueue<Parcel>(on: loop, batchSize: 0, handler: nil)
    }
    #expect(said(result, "BatchSize: must be positive, got 0; use .unlimited for all"))
  }

  @Test("a negative batch size traps")
  func negativeBatch() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = BatchSize(-3)
    }
    #expect(said(result, "BatchSize: must be positive, got -3; use .unlimited for all"))
  }

  @Test("a capacity of zero traps")
  func capacityOfZero() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = QueueCapacity(0, whenFull: .refuse)
    }
    #expect(said(result, "QueueCapacity: the limit must be positive, got 0"))
  }

  @Test("creating a queue off the loop's thread traps")
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

  @Test("creating a queue on a closed loop traps")
  func madeAfterClose() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let loop = try EventLoop()
      try loop.close()
      _ = RunLoopQueue<Parcel>(on: loop, handler: nil)
    }
    #expect(said(result, "RunLoopQueue.init: the loop is closed"))
  }

  @Test("flushing off the loop's thread traps")
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
