import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("RunLoopQueue: release and close")
struct RunLoopQueueEndTests {
  // Q8
  @Test("a closed queue refuses elements, removes those that wait, and still calls onDrain")
  func close() throws {
    try stepping { stepped in
      let queue = recordingQueue(on: stepped)
      queue.enqueue(Parcel("a"))
      elsewhere { queue.close() }
      #expect(queue.count == 0)
      guard case .closed = queue.enqueue(Parcel("b")) else { return #expect(Bool(false)) }
      #expect(stepped.runUntilIdle() == 1)
      #expect(stepped.trace.events == ["drain"])
      queue.close()
      queue.flush()
      #expect(stepped.trace.events == ["drain"])
    }
  }

  // Q8, L11
  @Test("a queue may outlive its loop, and is then closed")
  func closedByTheLoop() throws {
    let loop = try EventLoop()
    let queue = RunLoopQueue<Parcel>(on: loop) { _, _ in }
    try loop.close()
    guard case .closed = queue.enqueue(Parcel("a")) else { return #expect(Bool(false)) }
    #expect(queue.count == 0)
    #expect(queue.removeAll() == 0)
    queue.flush()
    queue.close()
  }

  // Q1
  @Test("a released queue delivers its waiting elements, a batch per tick as before")
  func dropped() throws {
    try stepping { stepped in
      var queue: RunLoopQueue<Parcel>? = recordingQueue(on: stepped)
      for name in ["a", "b", "c"] { queue?.enqueue(Parcel(name)) }
      queue = nil
      #expect(stepped.runUntilIdle() == 3)
      #expect(stepped.trace.events == ["a", "b", "c, the last", "drain"])
    }
  }

  // Q1
  @Test(
    "a queue released elsewhere delivers its elements, then releases its handler on the loop"
  )
  func droppedElsewhere() throws {
    try stepping { stepped in
      let port = stepped.loop.awaitedPort
      var probe: ReleaseProbe? = ReleaseProbe(stepped.trace)
      var queue: RunLoopQueue<Parcel>? = RunLoopQueue(on: stepped.loop) { [probe] parcel, _ in
        stepped.trace.record(parcel.name)
        withExtendedLifetime(probe) {}
      }
      probe = nil
      elsewhere {
        for name in ["a", "b"] { queue?.enqueue(Parcel(name)) }
        queue = nil
      }
      stepped.step()
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["a", "b", "released here"])
      withExtendedLifetime(port) {}
    }
  }

  // Q1, L7
  @Test("a released queue leaves nothing on its loop")
  func droppedLeavesNothing() throws {
    try stepping { stepped in
      for _ in 0..<100 { _ = recordingQueue(on: stepped) }
      stepped.runUntilIdle()
      var queue: RunLoopQueue<Parcel>? = recordingQueue(on: stepped)
      var weak: Parcel? = Parcel("x")
      if let weak { _ = queue?.enqueue(weak) }
      queue?.removeAll()
      weak = nil
      queue = nil
      stepped.runUntilIdle()
      #expect(stepped.loop.run() == .finished)
    }
  }

  // L2, L11
  @Test("a post from a deinit that the loop's close() triggers is refused")
  func refusesPostsOfWhatItReleases() throws {
    final class Poster {
      let port: LoopPort
      let trace: Trace

      init(_ port: LoopPort, _ trace: Trace) {
        self.port = port
        self.trace = trace
      }

      deinit {
        do { try port.post {} } catch { trace.record("\(error)") }
      }
    }
    let trace = Trace()
    try stepping { stepped in
      var poster: Poster? = Poster(stepped.loop.awaitedPort, trace)
      let queue = RunLoopQueue<Parcel>(on: stepped.loop) { [poster] _, _ in _ = poster }
      poster = nil
      try stepped.close()
      #expect(trace.events == ["closed"])
      withExtendedLifetime(queue) {}
    }
  }

  // Q1, Q8
  @Test("elements from another thread are delivered even if the queue is released before the wake")
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
  @Test("the loop's close() delivers elements that queues and transactions pass to each other")
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
      trace.events == ["a, the last", "drain", "b, the last", "drain", "c, the last", "drain"]
    )
  }

  // Q8, L11
  @Test("a closing loop refuses elements from other threads, but accepts its own")
  func closeRefusesOthers() throws {
    let trace = Trace()
    try stepping { stepped in
      let queue = RunLoopQueue<Parcel>(on: stepped.loop) { parcel, _ in trace.record(parcel.name) }
      stepped.loop.commit(
        Card("card", trace) { _ in
          trace.record("here \(queue.enqueue(Parcel("b")))")
          elsewhere { trace.record("elsewhere \(queue.enqueue(Parcel("c")))") }
          let late = RunLoopQueue<Parcel>(on: stepped.loop) { _, _ in }
          elsewhere { trace.record("late, elsewhere \(late.enqueue(Parcel("d")))") }
        },
        Card.run
      )
      elsewhere { queue.enqueue(Parcel("a")) }
      try stepped.close()
    }
    let expected = ["here queued", "elsewhere closed", "late, elsewhere closed", "a", "b"]
    #expect(trace.events == expected)
  }

  // Q1, L5
  @Test("a run delivers elements from another thread even if nothing else keeps the loop alive")
  func runWithoutPort() throws {
    try stepping { stepped in
      let queue = recordingQueue(on: stepped)
      elsewhere { queue.enqueue(Parcel("a")) }
      #expect(stepped.loop.run() == .finished)
      #expect(stepped.trace.events == ["a, the last", "drain"])
    }
  }

  // Q1, L5
  @Test("a run delivers an element that another thread enqueues during its last tick")
  func queuedInTheLastTick() throws {
    try stepping { stepped in
      let queue = recordingQueue(on: stepped)
      let card = Card("card", stepped.trace)
      stepped.loop.addObserver(for: .afterWaiting, repeats: false) { _ in
        elsewhere { _ = queue.enqueue(Parcel("a")) }
      }
      stepped.loop.commit(card, Card.layout)
      #expect(stepped.loop.run() == .finished)
      #expect(stepped.trace.events == ["card.layout", "a, the last", "drain"])
    }
  }
}
