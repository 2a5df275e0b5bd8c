import LoopTransactions
import LoopTransactionsTesting
import Testing

@Suite("RunLoopQueue: membership")
struct RunLoopQueueMembershipTests {
  // Q3
  @Test("an object enqueued twice before a drain keeps its position and is delivered once")
  func exclusive() throws {
    try stepping { stepped in
      let queue = recordingQueue(on: stepped, batchSize: .unlimited)
      let (a, b) = (Parcel("a"), Parcel("b"))
      guard case .queued = queue.enqueue(a) else { return #expect(Bool(false)) }
      queue.enqueue(b)
      guard case .alreadyQueued = queue.enqueue(a) else { return #expect(Bool(false)) }
      #expect(queue.count == 2)
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["a", "b, the last", "drain"])
    }
  }

  // Q3
  @Test("enqueuing an element that is already queued sends no wake")
  func duplicatesWakeNobody() throws {
    try stepping { stepped in
      let queue = recordingQueue(on: stepped)
      let parcel = Parcel("a")
      elsewhere { queue.enqueue(parcel) }
      stepped.loop.budget = .unlimited
      let posts = stepped.loop.metrics.posts
      elsewhere { for _ in 0..<100 { queue.enqueue(parcel) } }
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["a, the last", "drain"])
      #expect(stepped.loop.metrics.posts - posts == 1)
    }
  }

  // Q3
  @Test("without exclusive membership an object is delivered as often as it was enqueued")
  func shared() throws {
    try stepping { stepped in
      let queue = recordingQueue(on: stepped, batchSize: .unlimited, isExclusive: false)
      let (a, b) = (Parcel("a"), Parcel("b"))
      for parcel in [a, b, a, a] { queue.enqueue(parcel) }
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["a", "b", "a", "a, the last", "drain"])
    }
  }

  // Q4
  @Test(
    "an object enqueued again by its own handler is delivered in the next tick, with any batch size"
  )
  func queuedByItsHandler() throws {
    try stepping { stepped in
      var left = 2
      var queue: RunLoopQueue<Parcel>?
      queue = recordingQueue(on: stepped, batchSize: .unlimited) { parcel in
        guard parcel.name == "a", left > 0 else { return }
        left -= 1
        queue?.enqueue(parcel)
      }
      stepped.trace.follow(stepped.loop, .beforeWaiting)
      for name in ["a", "b"] { queue?.enqueue(Parcel(name)) }
      #expect(stepped.runUntilIdle() == 3)
      #expect(
        stepped.trace.events == [
          "beforeWaiting", "a", "b", "beforeWaiting", "a, the last", "drain", "beforeWaiting",
          "a, the last", "drain",
        ]
      )
      queue = nil
      stepped.runUntilIdle()
    }
  }

  // Q5
  @Test("a strong queue delivers an object without other references")
  func strong() throws {
    try stepping { stepped in
      let queue = recordingQueue(on: stepped)
      queue.enqueue(Parcel("a"))
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["a, the last", "drain"])
    }
  }

  // Q5
  @Test("a weak queue does not deliver a dead object, is empty after the tick, and idle")
  func weak() throws {
    try stepping { stepped in
      let queue = recordingQueue(on: stepped, .weak)
      var parcel: Parcel? = Parcel("a")
      try queue.enqueue(#require(parcel))
      parcel = nil
      #expect(queue.count == 1)
      #expect(stepped.runUntilIdle() == 1)
      #expect(queue.count == 0)
      #expect(stepped.trace.events == ["drain"])
    }
  }

  // Q5, L7
  @Test("ten thousand dead elements take one tick and do not count towards a batch")
  func allDead() throws {
    try stepping { stepped in
      let queue = recordingQueue(on: stepped, .weak)
      var parcels = (0..<10_000).map { Parcel("\($0)") }
      for parcel in parcels { queue.enqueue(parcel) }
      let living = Parcel("living")
      parcels = []
      queue.enqueue(living)
      #expect(stepped.runUntilIdle() == 1)
      #expect(stepped.trace.events == ["living, the last", "drain"])
      #expect(stepped.loop.metrics.delivered == 1)
    }
  }

  // Q5
  @Test("an element released in a handler dies there, even if it is the next element")
  func nextDies() throws {
    try stepping { stepped in
      let trace = stepped.trace
      let first = ReleaseProbe(trace)
      var next: ReleaseProbe? = ReleaseProbe(trace)
      let queue = RunLoopQueue<ReleaseProbe>(
        on: stepped.loop,
        membership: .weak,
        batchSize: .unlimited,
        onDrain: { trace.record("drained") }
      ) { _, isDrained in
        trace.record("handed over, the last: \(isDrained)")
        next = nil
        trace.record("handled")
      }
      queue.enqueue(first)
      try queue.enqueue(#require(next))
      stepped.runUntilIdle()
      let expected = ["handed over, the last: false", "released here", "handled", "drained"]
      #expect(trace.events == expected)
    }
  }

  // Q5, Q6
  @Test("a live object enqueued weakly is delivered, and not kept alive")
  func weakAlive() throws {
    try stepping { stepped in
      let queue = RunLoopQueue<ReleaseProbe>(on: stepped.loop, membership: .weak) { _, _ in
        stepped.trace.record("handed over")
      }
      var probe: ReleaseProbe? = ReleaseProbe(stepped.trace)
      try queue.enqueue(#require(probe))
      stepped.runUntilIdle()
      probe = nil
      #expect(stepped.trace.events == ["handed over", "released here"])
    }
  }
}
