import LoopTransactions
import LoopTransactionsTesting
import Testing

@Suite("RunLoopQueue: removal and capacity")
struct RunLoopQueueCapacityTests {
  // Q8
  @Test("a removed element is not delivered, and can be enqueued again at the end")
  func remove() throws {
    try stepping { stepped in
      let queue = recordingQueue(on: stepped, batchSize: .unlimited)
      let parcels = ["a", "b", "c"].map(Parcel.init)
      for parcel in parcels { queue.enqueue(parcel) }
      elsewhere { #expect(queue.remove(parcels[0])) }
      #expect(!queue.remove(parcels[0]))
      #expect(!queue.remove(Parcel("d")))
      #expect(queue.count == 2)
      queue.enqueue(parcels[0])
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["b", "c", "a, the last", "drain"])
    }
  }

  // Q8
  @Test("remove() on a queue that is not exclusive removes the object's oldest entry")
  func removeOldest() throws {
    try stepping { stepped in
      let queue = recordingQueue(on: stepped, batchSize: .unlimited, isExclusive: false)
      let (a, b) = (Parcel("a"), Parcel("b"))
      for parcel in [a, b, a] { queue.enqueue(parcel) }
      #expect(queue.remove(a))
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["b", "a, the last", "drain"])
    }
  }

  // Q8
  @Test("elements removed on another thread are released there")
  func releasedByTheRemover() throws {
    try stepping { stepped in
      let queue = RunLoopQueue<ReleaseProbe>(on: stepped.loop, handler: nil)
      for _ in 0..<3 { queue.enqueue(ReleaseProbe(stepped.trace)) }
      elsewhere { #expect(queue.removeAll() == 3) }
      #expect(stepped.trace.events == Array(repeating: "released elsewhere", count: 3))
      #expect(queue.count == 0)
    }
  }

  // Q8
  @Test("a full queue refuses, drops the oldest or drops the newest, and reports it to the sender")
  func whenFull() throws {
    try stepping { stepped in
      for (policy, expected) in [
        (QueueCapacity.WhenFull.refuse, ["a", "b, the last", "drain"]),
        (.dropOldest, ["b", "c, the last", "drain"]),
        (.dropNewest, ["a", "b, the last", "drain"]),
      ] {
        let queue = recordingQueue(
          on: stepped,
          batchSize: .unlimited,
          capacity: QueueCapacity(2, whenFull: policy)
        )
        for name in ["a", "b"] { queue.enqueue(Parcel(name)) }
        switch (policy, queue.enqueue(Parcel("c"))) {
        case (.refuse, .refused): #expect(queue.droppedCount == 0)
        case (.dropOldest, .dropped(let dropped)): #expect(dropped?.name == "a")
        case (.dropNewest, .dropped(let dropped)): #expect(dropped?.name == "c")
        case (_, let outcome): Issue.record("unexpected outcome for \(policy): \(outcome)")
        }
        #expect(queue.droppedCount == (policy == .refuse ? 0 : 1))
        #expect(queue.count == 2)
        stepped.runUntilIdle()
        #expect(stepped.trace.take() == expected)
      }
    }
  }

  // Q5, Q8
  @Test(
    "dead elements at the front of a full queue are removed before a live one is refused",
    arguments: [QueueCapacity.WhenFull.refuse, .dropOldest, .dropNewest]
  )
  func deadMakeRoom(whenFull: QueueCapacity.WhenFull) throws {
    try stepping { stepped in
      let queue = RunLoopQueue<Parcel>(
        on: stepped.loop,
        membership: .weak,
        batchSize: .unlimited,
        capacity: QueueCapacity(3, whenFull: whenFull)
      ) { parcel, _ in stepped.trace.record(parcel.name) }
      var gone: [Parcel] = ["a", "b"].map(Parcel.init)
      let (kept, new) = (Parcel("c"), Parcel("d"))
      for parcel in gone + [kept] { queue.enqueue(parcel) }
      gone = []
      guard case .queued = queue.enqueue(new) else { return #expect(Bool(false), "refused") }
      #expect(queue.droppedCount == 0)
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["c", "d"])
    }
  }

  // Q3, Q8
  @Test("enqueuing a queued element into a full queue drops nothing")
  func duplicateWhenFull() throws {
    try stepping { stepped in
      let queue = recordingQueue(
        on: stepped,
        capacity: QueueCapacity(1, whenFull: .dropOldest)
      )
      let parcel = Parcel("a")
      queue.enqueue(parcel)
      guard case .alreadyQueued = queue.enqueue(parcel) else { return #expect(Bool(false)) }
      #expect(queue.droppedCount == 0)
    }
  }

  // Q8
  @Test("a queue limited to 100 keeps 100 of four threads' 1,000 elements, and counts the rest")
  func dropsOldestOfMany() throws {
    try stepping { stepped in
      let queue = recordingQueue(
        on: stepped,
        batchSize: .unlimited,
        capacity: QueueCapacity(100, whenFull: .dropOldest)
      )
      everywhere(4) { _ in
        for number in 0..<250 { queue.enqueue(Parcel("\(number)")) }
      }
      #expect(queue.count == 100)
      #expect(queue.droppedCount == 900)
      stepped.step()
      stepped.runUntilIdle()
      #expect(stepped.loop.metrics.delivered == 100)
    }
  }
}
