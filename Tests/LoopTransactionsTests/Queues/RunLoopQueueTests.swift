import LoopTransactions
import LoopTransactionsTesting
import Testing

/// A queue that records in `stepped.trace` what it hands over, and each drain.
func recordingQueue(
  on stepped: SteppedLoop, _ membership: RunLoopQueue<Parcel>.Membership = .strong,
  batchSize: BatchSize = 1, isExclusive: Bool = true, capacity: QueueCapacity? = nil,
  _ body: @escaping (Parcel) -> Void = { _ in }
) -> RunLoopQueue<Parcel> {
  let trace = stepped.trace
  return RunLoopQueue(
    on: stepped.loop, membership: membership, batchSize: batchSize, isExclusive: isExclusive,
    capacity: capacity, onDrain: { trace.record("drain") }
  ) { parcel, isDrained in
    trace.record(isDrained ? "\(parcel.name), the last" : parcel.name)
    body(parcel)
  }
}

@Suite("RunLoopQueue, drains")
struct RunLoopQueueDrainTests {
  // Q6
  @Test("a drain that a flush ended is not told of again by the wake that was on its way")
  func flushBeforeTheWake() throws {
    try stepping { stepped in
      let queue = recordingQueue(on: stepped)
      elsewhere { queue.enqueue(Parcel("a")) }
      queue.flush()
      #expect(stepped.trace.events == ["a, the last", "drain"])
      stepped.step()
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["a, the last", "drain"])
    }
  }

  // Q6
  @Test("everything removed by another thread, a drain is told of once")
  func removedElsewhere() throws {
    try stepping { stepped in
      let queue = recordingQueue(on: stepped, batchSize: .unlimited)
      stepped.loop.budget = .init(count: 1)
      elsewhere {
        queue.enqueue(Parcel("a"))
        #expect(queue.removeAll() == 1)
        queue.enqueue(Parcel("b"))
      }
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["b, the last", "drain"])
    }
  }
}

@Suite("RunLoopQueue, dropped and closed")
struct RunLoopQueueEndTests {
  // Q1, Q8
  @Test("what another thread queued is handed over though the queue is dropped before the wake")
  func droppedBeforeTheWake() throws {
    try stepping { stepped in
      var queue: RunLoopQueue? = recordingQueue(on: stepped)
      elsewhere { _ = queue?.enqueue(Parcel("a")) }
      queue = nil
      stepped.step()
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["a, the last", "drain"])
    }
  }

  // Q8, L11
  @Test("close() of the loop hands over what queues and transactions pass on to each other")
  func closeHandsOverAll() throws {
    let trace = Trace()
    try stepping { stepped in
      let loop = stepped.loop
      let last = recordingQueue(on: stepped)
      let card = Card("card", stepped.trace) { _ in last.enqueue(Parcel("c")) }
      let middle = recordingQueue(on: stepped) { _ in loop.commit(card, Card.run) }
      let first = recordingQueue(on: stepped) { _ in middle.enqueue(Parcel("b")) }
      elsewhere { first.enqueue(Parcel("a")) }
      try stepped.close()
      for event in stepped.trace.events { trace.record(event) }
    }
    #expect(
      trace.events == ["a, the last", "drain", "b, the last", "drain", "c, the last", "drain"])
  }

  // Q1, L5
  @Test("a run hands over what another thread queued, though nothing else keeps it going")
  func runWithoutPort() throws {
    try stepping { stepped in
      let queue = recordingQueue(on: stepped)
      elsewhere { queue.enqueue(Parcel("a")) }
      #expect(stepped.loop.run() == .finished)
      #expect(stepped.trace.events == ["a, the last", "drain"])
    }
  }
}
