import LoopTransactions
import LoopTransactionsTesting
import Testing

@Suite("RunLoopQueue: release queue")
struct ReleaseQueueTests {
  // Q7
  @Test("a queue without a handler releases a batch per tick, on the loop's thread")
  func releases() throws {
    try stepping { stepped in
      let queue = RunLoopQueue<ReleaseProbe>(on: stepped.loop, batchSize: 2, handler: nil)
      var probes = (0..<5).map { _ in ReleaseProbe(stepped.trace) }
      elsewhere {
        for probe in probes { queue.enqueue(probe) }
        probes = []
      }
      var perTick: [Int] = []
      stepped.step()
      while queue.count > 0 {
        perTick.append(stepped.trace.take().count)
        stepped.step()
      }
      perTick.append(stepped.trace.events.count)
      #expect(perTick == [2, 2, 1])
      #expect(stepped.trace.events == ["released here"])
    }
  }

  // Q7
  @Test("an element whose deinit enqueues into its own queue does not deadlock")
  func releasesOutsideTheLock() throws {
    final class Chain {
      let queue: RunLoopQueue<Chain>
      let left: Int
      let trace: Trace

      init(_ queue: RunLoopQueue<Chain>, _ left: Int, _ trace: Trace) {
        self.queue = queue
        self.left = left
        self.trace = trace
      }

      deinit {
        trace.record("\(left)")
        #expect(queue.count < 2)
        if left > 0 { queue.enqueue(Chain(queue, left - 1, trace)) }
      }
    }
    try stepping { stepped in
      let queue = RunLoopQueue<Chain>(on: stepped.loop, handler: nil)
      queue.enqueue(Chain(queue, 3, stepped.trace))
      stepped.runUntilIdle()
      #expect(stepped.trace.take() == ["3", "2", "1", "0"])

      // Repeat with remove, removeAll and close. A full queue does not release
      // elements, but returns them to the caller.
      var chain: Chain? = Chain(queue, 1, stepped.trace)
      if let chain {
        queue.enqueue(chain)
        queue.remove(chain)
      }
      chain = nil
      #expect(stepped.trace.take() == ["1"])
      stepped.runUntilIdle()
      #expect(stepped.trace.take() == ["0"])
      queue.enqueue(Chain(queue, 1, stepped.trace))
      #expect(queue.removeAll() == 1)
      #expect(stepped.trace.take() == ["1"])
      #expect(queue.count == 1)
      queue.close()
      #expect(stepped.trace.events == ["0"])
    }
  }

  // Q7
  @Test("flush() empties a release queue regardless of its batch size and the budget")
  func flushes() throws {
    try stepping { stepped in
      stepped.loop.budget = .init(time: .nanoseconds(1), count: 1)
      let queue = RunLoopQueue<ReleaseProbe>(on: stepped.loop, handler: nil)
      for _ in 0..<100 { queue.enqueue(ReleaseProbe(stepped.trace)) }
      queue.flush()
      #expect(queue.count == 0)
      #expect(stepped.trace.events == Array(repeating: "released here", count: 100))
      #expect(stepped.isIdle)
    }
  }

  // Q6, Q7
  @Test("onDrain is called after the last element was released")
  func drainedAfterRelease() throws {
    try stepping { stepped in
      let trace = stepped.trace
      let queue = RunLoopQueue<ReleaseProbe>(
        on: stepped.loop,
        batchSize: .unlimited,
        onDrain: { trace.record("drained") },
        handler: nil
      )
      for _ in 0..<2 { queue.enqueue(ReleaseProbe(trace)) }
      stepped.runUntilIdle()
      #expect(trace.events == ["released here", "released here", "drained"])
    }
  }

  // Q7, L9
  @Test("a flush between two ticks does not use the next tick's count")
  func flushLeavesTheCount() throws {
    try stepping { stepped in
      stepped.loop.budget = .init(count: 10)
      let queue = RunLoopQueue<Parcel>(on: stepped.loop, handler: nil)
      for number in 0..<10 { queue.enqueue(Parcel("\(number)")) }
      queue.flush()
      let cards = (0..<10).map { Card("\($0)", stepped.trace) }
      for card in cards { stepped.loop.commit(card, Card.layout) }
      stepped.step()
      #expect(stepped.trace.events.count == 10)
    }
  }

  // Q7, L9
  @Test("a flush between two ticks does not use the next tick's time")
  func flushLeavesTheBudget() throws {
    // Uses the system's clock, which a tick does not read for every element.
    let (loop, trace) = (try EventLoop(), Trace())
    loop.budget = .init(time: .seconds(10))
    let queue = RunLoopQueue<Parcel>(on: loop, handler: nil)
    for name in ["a", "b"] { queue.enqueue(Parcel(name)) }
    queue.flush()
    // The actions do nothing, because the loop reads the clock after an action
    // of 20,000 cycles.
    let cards = (0..<100).map { Card("\($0)", trace) }
    for card in cards { loop.commit(card, Card.run) }
    loop.run(.noWait)
    #expect(loop.metrics.performed == 100)
    #expect(loop.metrics.carriedOver == 0)
    try loop.close()
  }
}
