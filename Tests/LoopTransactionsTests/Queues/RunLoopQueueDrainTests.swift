import LoopTransactions
import TestSupport
import LoopTransactionsTesting
import Testing

/// Compares the drains that a queue reported with the actual ones.
private struct DrainCount {
  private var isOpen = false
  private var isLast = false

  /// Records that an element was queued.
  mutating func began() { isOpen = true }

  /// Records that an element was delivered.
  mutating func handedOver(_ isDrained: Bool) {
    #expect(isOpen)
    #expect(!isLast)
    isLast = isDrained
  }

  /// Records a call of the drain callback.
  mutating func ended() {
    #expect(isOpen)
    isOpen = false
    isLast = false
  }

  /// Checks that the last drain was reported.
  func check() { #expect(!isOpen) }
}

@Suite("RunLoopQueue: drains")
struct RunLoopQueueDrainTests {
  // Q6
  @Test("of two elements in a batch, the second is delivered with isDrained")
  func drainedWithTheLast() throws {
    try stepping { stepped in
      let queue = recordingQueue(on: stepped, batchSize: 2)
      for name in ["a", "b"] { queue.enqueue(Parcel(name)) }
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["a", "b, the last", "drain"])
    }
  }

  // Q6
  @Test("the last element of a batch has no isDrained if another thread enqueued an element")
  func queuedMeanwhile() throws {
    try stepping { stepped in
      var queue: RunLoopQueue<Parcel>?
      queue = recordingQueue(on: stepped, batchSize: .unlimited) { parcel in
        if parcel.name == "a" { elsewhere { _ = queue?.enqueue(Parcel("c")) } }
      }
      for name in ["a", "b"] { queue?.enqueue(Parcel(name)) }
      stepped.step()
      #expect(stepped.trace.take() == ["a", "b"])
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["c, the last", "drain"])
      queue = nil
      stepped.runUntilIdle()
    }
  }

  // Q6
  @Test("an element enqueued by the last one's handler begins a new drain")
  func queuedByTheLast() throws {
    try stepping { stepped in
      var queue: RunLoopQueue<Parcel>?
      queue = recordingQueue(on: stepped) { parcel in
        if parcel.name == "a" { queue?.enqueue(Parcel("b")) }
      }
      queue?.enqueue(Parcel("a"))
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["a, the last", "drain", "b, the last", "drain"])
      queue = nil
      stepped.runUntilIdle()
    }
  }

  // Q5, Q6
  @Test(
    "a live element is delivered with isDrained if only dead elements follow it",
    arguments: [1, 2, 5]
  )
  func deadTail(batch: Int) throws {
    try stepping { stepped in
      let queue = recordingQueue(on: stepped, .weak, batchSize: BatchSize(batch))
      let (a, b) = (Parcel("a"), Parcel("b"))
      var dying: [Parcel] = []
      for parcel in [nil, a, nil, b, nil, nil] {
        let parcel = parcel ?? Parcel("dead")
        dying.append(parcel)
        queue.enqueue(parcel)
      }
      dying = []
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["a", "b, the last", "drain"])
      withExtendedLifetime((a, b)) {}
    }
  }

  // Q6
  @Test("onDrain is called even if the last elements die between two ticks or in a handler")
  func tailDies() throws {
    try stepping { stepped in
      var tail: Parcel? = Parcel("tail")
      let head = Parcel("head")
      let queue = recordingQueue(on: stepped, .weak) { _ in }
      queue.enqueue(head)
      try queue.enqueue(#require(tail))
      stepped.step()
      tail = nil
      #expect(stepped.runUntilIdle() == 1)
      #expect(stepped.trace.take() == ["head", "drain"])

      tail = Parcel("tail")
      let killing = recordingQueue(on: stepped, .weak, batchSize: .unlimited) { _ in tail = nil }
      killing.enqueue(head)
      try killing.enqueue(#require(tail))
      #expect(stepped.runUntilIdle() == 1)
      #expect(stepped.trace.events == ["head", "drain"])
    }
  }

  // Q6, Q8
  @Test("a queue whose elements were all removed is drained without a call of its handler")
  func allRemoved() throws {
    try stepping { stepped in
      let queue = recordingQueue(on: stepped)
      let (a, b) = (Parcel("a"), Parcel("b"))
      for parcel in [a, b] { queue.enqueue(parcel) }
      #expect(queue.remove(b))
      #expect(queue.remove(a))
      #expect(stepped.runUntilIdle() == 1)
      #expect(stepped.trace.take() == ["drain"])
      for parcel in [a, b] { queue.enqueue(parcel) }
      #expect(queue.removeAll() == 2)
      #expect(stepped.runUntilIdle() == 1)
      #expect(stepped.trace.events == ["drain"])
    }
  }

  // Q6
  @Test("each drain is reported once under random enqueues, deaths and removals", arguments: 1...20)
  func onceUnderRandomUse(seed: UInt64) throws {
    try stepping { stepped in
      var random = SeededGenerator(seed: seed)
      var drains = DrainCount()
      let queue = RunLoopQueue<Parcel>(
        on: stepped.loop,
        membership: seed.isMultiple(of: 2) ? .weak : .strong,
        batchSize: 3,
        onDrain: { drains.ended() }
      ) { _, isDrained in drains.handedOver(isDrained) }
      var parcels: [Parcel] = []
      for _ in 0..<(Interposed.isSanitized ? 400 : 2000) {
        switch Int.random(in: 0..<12, using: &random) {
        case 0..<4:
          parcels.append(Parcel("x"))
          let isHere = Bool.random(using: &random)
          if isHere {
            queue.enqueue(parcels[parcels.count - 1])
          } else {
            elsewhere { _ = queue.enqueue(parcels[parcels.count - 1]) }
          }
          drains.began()
        case 4: if let parcel = parcels.randomElement(using: &random) { queue.remove(parcel) }
        case 5: parcels = []
        case 6: queue.flush()
        case 7: elsewhere { _ = queue.removeAll() }
        default: stepped.step()
        }
      }
      stepped.step()
      stepped.runUntilIdle()
      drains.check()
      #expect(queue.count == 0)
    }
  }

  // Q6
  @Test("a drain that a flush ended is not reported again when its wake arrives")
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
  @Test("after another thread removed everything, a drain is reported once")
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
