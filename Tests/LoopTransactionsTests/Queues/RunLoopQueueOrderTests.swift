import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("RunLoopQueue: order and batches")
struct RunLoopQueueOrderTests {
  // Q1, L7
  @Test("an unused queue is empty and does not keep a loop awake")
  func empty() throws {
    try stepping { stepped in
      let queue = recordingQueue(on: stepped)
      #expect(queue.count == 0)
      #expect(stepped.isIdle)
      #expect(stepped.loop.run() == .finished)
      #expect(stepped.trace.events == [])
    }
  }

  // Q1, Q2
  @Test("elements are delivered oldest first, a batch per tick, without another event")
  func batches() throws {
    try stepping { stepped in
      let queue = recordingQueue(on: stepped, batchSize: 2)
      stepped.trace.follow(stepped.loop, .beforeWaiting)
      for name in ["a", "b", "c", "d", "e"] { queue.enqueue(Parcel(name)) }
      #expect(queue.count == 5)
      #expect(stepped.runUntilIdle() == 3)
      #expect(
        stepped.trace.events == [
          "beforeWaiting", "a", "b", "beforeWaiting", "c", "d", "beforeWaiting", "e, the last",
          "drain",
        ]
      )
      #expect(queue.count == 0)
    }
  }

  // Q2
  @Test("with a batch size of one, a run of one tick leaves the second element")
  func oneByDefault() throws {
    try stepping { stepped in
      let queue = RunLoopQueue<Parcel>(on: stepped.loop) { parcel, _ in
        stepped.trace.record(parcel.name)
      }
      for name in ["a", "b"] { queue.enqueue(Parcel(name)) }
      stepped.loop.run(.noWait)
      #expect(stepped.trace.events == ["a"])
      #expect(queue.count == 1)
    }
  }

  // Q2
  @Test("with a batch size of two, a run of one tick leaves nothing")
  func batchOfTwo() throws {
    try stepping { stepped in
      let queue = recordingQueue(on: stepped, batchSize: 2)
      for name in ["a", "b"] { queue.enqueue(Parcel(name)) }
      stepped.loop.run(.noWait)
      #expect(queue.count == 0)
    }
  }

  // Q2, L9
  @Test("an unlimited batch takes all waiting elements within the tick's time")
  func unlimited() throws {
    try stepping { stepped in
      let queue = recordingQueue(on: stepped, batchSize: .unlimited) { _ in
        stepped.spend(.milliseconds(1))
      }
      for number in 1...6 { queue.enqueue(Parcel("\(number)")) }
      stepped.step()
      #expect(stepped.trace.take() == ["1", "2", "3", "4"])
      stepped.step()
      #expect(stepped.trace.events == ["5", "6, the last", "drain"])
      #expect(stepped.isIdle)
      #expect(stepped.loop.metrics.delivered == 6)
      #expect(stepped.loop.metrics.carriedOver == 1)
    }
  }

  // Q2, L9
  @Test("a tick whose budget is spent still delivers one element of each queue")
  func oneAtLeast() throws {
    try stepping { stepped in
      stepped.loop.budget = .init(count: 1)
      let queues = (0..<3).map { _ in recordingQueue(on: stepped, batchSize: .unlimited) }
      for (index, queue) in queues.enumerated() {
        for name in ["a", "b"] { queue.enqueue(Parcel("\(name)\(index)")) }
      }
      stepped.step()
      #expect(stepped.trace.take() == ["a0", "a1", "a2"])
      stepped.step()
      #expect(stepped.isIdle)
      withExtendedLifetime(queues) {}
    }
  }

  // Q1
  @Test("queues deliver in ascending order, and with equal order in the order created")
  func order() throws {
    try stepping { stepped in
      let trace = stepped.trace
      let queues = [(5, "c"), (0, "a"), (5, "d"), (0, "b"), (-1, "_")].map { order, name in
        RunLoopQueue<Parcel>(on: stepped.loop, order: order) { _, _ in trace.record(name) }
      }
      for queue in queues { queue.enqueue(Parcel("x")) }
      stepped.runUntilIdle()
      #expect(trace.take() == ["_", "a", "b", "c", "d"])
      for queue in queues { queue.enqueue(Parcel("x")) }
      try stepped.close()
      #expect(trace.events == ["_", "a", "b", "c", "d"])
    }
  }

  // Q1
  @Test("elements of four threads are all delivered once, in each thread's order")
  func manyThreads() throws {
    try stepping { stepped in
      let queue = recordingQueue(on: stepped, batchSize: 7)
      everywhere(4) { thread in
        for number in 0..<500 { queue.enqueue(Parcel("\(thread) \(number)")) }
      }
      stepped.runUntilIdle()
      let names = stepped.trace.events.filter { $0 != "drain" }.map { $0.prefix { $0 != "," } }
      #expect(names.count == 2000)
      for thread in 0..<4 {
        let own = names.filter { $0.hasPrefix("\(thread) ") }
        #expect(own.map(String.init) == (0..<500).map { "\(thread) \($0)" })
      }
      #expect(stepped.loop.metrics.wakesSent <= 1)
    }
  }

  // Q1
  @Test("an element from another thread wakes a sleeping loop, and the rest need no other event")
  func wakes() throws {
    let loop = try EventLoop()
    let (port, trace) = (loop.awaitedPort, Trace())
    let queue = RunLoopQueue<Parcel>(on: loop) { parcel, _ in
      trace.record(parcel.name)
      if parcel.name == "c" { loop.stop() }
    }
    let parcels = ["a", "b", "c"].map(Parcel.init)
    let thread = Thread {
      // Wait until the loop is about to block, or is blocking.
      while port.metrics.ticks == 0 {}
      for parcel in parcels { queue.enqueue(parcel) }
    }
    // The result is .timedOut if the wake is lost.
    #expect(loop.runInTime() == .stopped)
    thread.join()
    #expect(trace.events == ["a", "b", "c"])
    try loop.close()
  }

  // Q1, Q3, L6
  @Test("a thousand elements from another thread wake a sleeping loop with one kernel write")
  func oneWakePerBurst() throws {
    let (loop, trace) = (try EventLoop(), Trace())
    let port = loop.awaitedPort
    var thread: Thread?
    let queue = RunLoopQueue<Parcel>(on: loop, batchSize: .unlimited) { parcel, _ in
      trace.record(parcel.name)
      // Keeps the loop awake until the burst is over.
      if parcel.name == "0" { thread?.join() }
      if parcel.name == "999" { loop.stop() }
    }
    thread = Thread {
      // Wait until the loop is about to block, or is blocking.
      while port.metrics.ticks == 0 {}
      for number in 0..<1000 { queue.enqueue(Parcel("\(number)")) }
    }
    // .timedOut if the wake is lost.
    #expect(loop.runInTime() == .stopped)
    #expect(trace.events == (0..<1000).map { "\($0)" })
    // None if the loop found the first element before it slept.
    #expect(loop.metrics.wakesSent <= 1)
    try loop.close()
  }
}
