import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("EventLoop.postCapacity")
struct PostCapacityTests {
  /// Posts from another thread until a post is refused or `most` posts are
  /// accepted. Returns the number of accepted posts.
  private func fill(_ port: LoopPort, most: Int = 1000, _ trace: Trace = Trace()) -> Int {
    var count = 0
    elsewhere {
      while count < most, (try? port.post { [count] in trace.record("\(count)") }) != nil {
        count += 1
      }
    }
    return count
  }

  // L2
  @Test(
    "a post beyond the capacity is refused while earlier posts wait",
    arguments: [1, 127, 128, 129, 900]
  )
  func refuses(capacity: Int) throws {
    try withSteppedLoop { stepped in
      let (loop, port) = (stepped.loop, stepped.loop.port)
      loop.postCapacity = capacity
      let function: PostedFunction = { _ in }
      for _ in 0..<3 {
        #expect(fill(port, stepped.trace) == capacity)
        elsewhere {
          #expect(throws: LoopPort.PostError.full) { try port.post {} }
          #expect(throws: LoopPort.PostError.full) { try port.post(function, context: nil) }
        }
        stepped.runUntilIdle()
        #expect(stepped.trace.take() == (0..<capacity).map(String.init))
      }
    }
  }

  // L2, T6
  @Test("commits are refused like posts, and their targets and values are released")
  func refusesCommits() throws {
    try withSteppedLoop { stepped in
      let (loop, port, trace) = (stepped.loop, stepped.loop.port, stepped.trace)
      loop.postCapacity = 1
      #expect(fill(port) == 1)
      let told = Selector<SharedCard>.Carrying<ReleaseProbe>("full told") { _, _ in }
      let card = SharedCard("a", trace)
      elsewhere {
        #expect(throws: LoopPort.PostError.full) { try port.commit(card, SharedCard.layout) }
        #expect(throws: LoopPort.PostError.full) {
          try port.commit(card, told, ReleaseProbe(trace))
        }
        #expect(throws: LoopPort.PostError.full) {
          try port.commit(ReleaseProbe(trace), ReleaseProbe.touch)
        }
      }
      stepped.runUntilIdle()
      #expect(trace.events == ["released here", "released here"])
    }
  }

  // L2
  @Test("work that cannot report a refusal is never refused, and uses capacity")
  func neverRefused() throws {
    try withSteppedLoop { stepped in
      let (loop, port, trace) = (stepped.loop, stepped.loop.port, stepped.trace)
      loop.postCapacity = 2
      #expect(fill(port) == 2)
      let queues = (0..<200).map { number in
        RunLoopQueue<SharedCard>(on: loop) { _, _ in trace.record("queue \(number)") }
      }
      let cards = (0..<200).map { SharedCard("\($0)", trace) }
      let kept = cards.map { PortTransaction($0, SharedCard.layout, on: port) }
      elsewhere {
        for (queue, card) in zip(queues, cards) { queue.enqueue(card) }
        for transaction in kept { try? transaction.commit() }
      }
      #expect(fill(port) == 0)
      stepped.runUntilIdle()
      #expect(trace.events.count == 400)
      #expect(fill(port) == 2)
    }
  }

  // L2, L9
  @Test("posts no longer use capacity once the loop took them, even if the budget defers them")
  func takenMakeRoom() throws {
    try withSteppedLoop { stepped in
      let (loop, port) = (stepped.loop, stepped.loop.port)
      loop.budget = EventLoop.Budget(count: 1)
      loop.postCapacity = 3
      #expect(fill(port, stepped.trace) == 3)
      stepped.step()
      #expect(fill(port, stepped.trace) == 3)
      #expect(fill(port) == 0)
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["0", "1", "2", "0", "1", "2"])
    }
  }

  // L2
  @Test("a capacity can be set below the number of waiting posts, and removed")
  func changes() throws {
    try withSteppedLoop { stepped in
      let (loop, port) = (stepped.loop, stepped.loop.port)
      #expect(loop.postCapacity == nil)
      #expect(fill(port, most: 300) == 300)
      loop.postCapacity = 10
      #expect(loop.postCapacity == 10 && fill(port) == 0)
      stepped.runUntilIdle()
      #expect(fill(port) == 10)
      loop.postCapacity = 200
      #expect(fill(port) == 190)
      loop.postCapacity = nil
      #expect(fill(port, most: 5000) == 5000)
      stepped.runUntilIdle()
      #expect(loop.metrics.posts == 300 + 10 + 190 + 5000)
    }
  }

  // L2
  @Test("posts of the loop's own thread are neither counted nor refused")
  func ownThread() throws {
    try withSteppedLoop { stepped in
      stepped.loop.postCapacity = 1
      let port = stepped.loop.port
      for _ in 0..<500 { try port.post {} }
      #expect(fill(port) == 1)
    }
  }

  // L2, L11
  @Test("a closed loop refuses with .closed even if it was full")
  func closed() throws {
    let loop = try EventLoop()
    let port = loop.port
    loop.postCapacity = 1
    #expect(fill(port) == 1)
    try loop.close()
    elsewhere { #expect(throws: LoopPort.PostError.closed) { try port.post {} } }
  }

  @Test("a capacity of zero or less traps", arguments: [0, -1])
  func ofNothing(capacity: Int) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [capacity] in try EventLoop().postCapacity = capacity
    }
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(said.contains("EventLoop.postCapacity: must be positive, got \(capacity)"))
  }
}
