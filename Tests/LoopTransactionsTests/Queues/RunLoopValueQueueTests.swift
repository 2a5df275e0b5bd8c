import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

private struct Change: Equatable {
  let row: Int
  var text = ""
}

// Q9
@Suite("RunLoopValueQueue")
struct RunLoopValueQueueTests {
  @Test("values are delivered in FIFO order, a batch per tick")
  func batches() throws {
    try withSteppedLoop { stepped in
      var delivered: [String] = []
      let queue = RunLoopValueQueue<Int>(on: stepped.loop, batchSize: 2) { value, isDrained in
        delivered.append(isDrained ? "\(value) last" : "\(value)")
      }
      for value in [3, 1, 2, 1] { queue.enqueue(value) }
      #expect(queue.count == 4)
      stepped.step()
      #expect(delivered == ["3", "1"])
      stepped.runUntilIdle()
      #expect(delivered == ["3", "1", "2", "1 last"])
      #expect(queue.count == 0)
    }
  }

  /// Enqueues a value with the key of another removed value when it is released.
  private final class Successor {
    let row: Int
    let enqueue: () -> Void

    init(_ row: Int, _ enqueue: @escaping () -> Void) {
      self.row = row
      self.enqueue = enqueue
    }

    deinit { enqueue() }
  }

  @Test("a deinit during removeAll() may enqueue any removed key")  // Q8, Q9
  func removeAllFreesKeys() throws {
    try withSteppedLoop { stepped in
      var outcomes: [String] = []
      var delivered: [Int] = []
      let queue = RunLoopValueQueue<Successor>(
        on: stepped.loop,
        exclusiveBy: { $0.row },
        batchSize: .unlimited
      ) { value, _ in delivered.append(value.row) }
      for row in 1...3 {
        queue.enqueue(
          Successor(row) { [unowned queue] in
            guard outcomes.count < 3 else { return }
            let other = row % 3 + 1
            outcomes.append("\(queue.enqueue(Successor(other) {}))")
          }
        )
      }
      #expect(queue.removeAll() == 3)
      #expect(outcomes == ["queued", "queued", "queued"])
      stepped.runUntilIdle()
      #expect(delivered == [2, 3, 1])
    }
  }

  @Test("closures are values")
  func closures() throws {
    try withSteppedLoop { stepped in
      let trace = stepped.trace
      let queue = RunLoopValueQueue<() -> Void>(on: stepped.loop, batchSize: .unlimited) {
        body,
        _ in body()
      }
      for name in ["a", "b"] { queue.enqueue { trace.record(name) } }
      stepped.runUntilIdle()
      #expect(trace.events == ["a", "b"])
    }
  }

  @Test("a value whose key is queued keeps the queued value and its position")
  func exclusive() throws {
    try withSteppedLoop { stepped in
      var delivered: [Change] = []
      let queue = RunLoopValueQueue<Change>(
        on: stepped.loop,
        exclusiveBy: { $0.row },
        batchSize: .unlimited
      ) { change, _ in delivered.append(change) }
      queue.enqueue(Change(row: 1, text: "first"))
      queue.enqueue(Change(row: 2))
      guard case .alreadyQueued = queue.enqueue(Change(row: 1, text: "second")) else {
        Issue.record("the key was queued twice")
        return
      }
      stepped.runUntilIdle()
      #expect(delivered == [Change(row: 1, text: "first"), Change(row: 2)])
    }
  }

  @Test("a handler can enqueue the key that it handles, for a later tick")
  func again() throws {
    try withSteppedLoop { stepped in
      var (delivered, left) = (0, 3)
      var queue: RunLoopValueQueue<Int>?
      queue = RunLoopValueQueue(
        on: stepped.loop,
        exclusiveBy: { $0 },
        batchSize: .unlimited
      ) { value, isDrained in
        #expect(isDrained)
        delivered += 1
        left -= 1
        if left > 0 { queue?.enqueue(value) }
      }
      queue?.enqueue(7)
      #expect(stepped.runUntilIdle() == 3)
      #expect(delivered == 3)
      queue = nil
      stepped.runUntilIdle()
    }
  }

  @Test("a key that its own handler queued again cannot be queued twice")
  func againOnce() throws {
    try withSteppedLoop { stepped in
      var delivered = 0
      var queue: RunLoopValueQueue<Int>?
      queue = RunLoopValueQueue(on: stepped.loop, exclusiveBy: { $0 }) { value, _ in
        delivered += 1
        if delivered == 1 { queue?.enqueue(value) }
      }
      queue?.enqueue(7)
      stepped.step()
      // The first value has been released, and the second one has the key.
      queue?.enqueue(7)
      #expect(queue?.count == 1)
      stepped.runUntilIdle()
      #expect(delivered == 2)
      queue = nil
      stepped.runUntilIdle()
    }
  }

  @Test("a key can be queued again after it was removed, dropped or refused")
  func freesKeys() throws {
    try withSteppedLoop { stepped in
      var delivered: [Int] = []
      func makeQueue(_ whenFull: QueueCapacity.WhenFull) -> RunLoopValueQueue<Int> {
        RunLoopValueQueue(
          on: stepped.loop,
          exclusiveBy: { $0 },
          batchSize: .unlimited,
          capacity: QueueCapacity(2, whenFull: whenFull)
        ) { value, _ in delivered.append(value) }
      }
      let queue = makeQueue(.dropOldest)
      for value in 1...3 { queue.enqueue(value) }  // drops 1
      #expect(queue.droppedCount == 1)
      queue.enqueue(1)  // drops 2
      #expect(queue.remove(3))
      #expect(!queue.remove(3))
      queue.enqueue(3)
      stepped.runUntilIdle()
      #expect(delivered == [1, 3])
      queue.enqueue(1)
      #expect(queue.removeAll() == 1)
      queue.enqueue(1)
      stepped.runUntilIdle()
      #expect(delivered == [1, 3, 1])
      delivered = []
      let refusing = makeQueue(.refuse)
      for value in 1...3 { refusing.enqueue(value) }
      refusing.remove(1)
      refusing.enqueue(3)
      stepped.runUntilIdle()
      #expect(delivered == [2, 3])
    }
  }

  @Test("a dropped value is returned")
  func returnsDropped() throws {
    try withSteppedLoop { stepped in
      func dropped(_ whenFull: QueueCapacity.WhenFull) -> Int? {
        let queue = RunLoopValueQueue<Int>(
          on: stepped.loop,
          capacity: QueueCapacity(1, whenFull: whenFull)
        ) { _, _ in }
        queue.enqueue(1)
        guard case .dropped(let value) = queue.enqueue(2) else { return nil }
        return value
      }
      #expect(dropped(.dropOldest) == 1)
      #expect(dropped(.dropNewest) == 2)
      #expect(dropped(.refuse) == nil)
      stepped.runUntilIdle()
    }
  }

  @Test("values are released when they are delivered, or when the queue is closed")
  func releases() throws {
    final class Token {}
    try withSteppedLoop { stepped in
      weak var delivered: Token?
      weak var closed: Token?
      let queue = RunLoopValueQueue<(Int, Token)>(on: stepped.loop, exclusiveBy: { $0.0 }) { _, _ in
      }
      do {
        let token = Token()
        delivered = token
        queue.enqueue((1, token))
      }
      #expect(delivered != nil)
      stepped.runUntilIdle()
      #expect(delivered == nil)
      do {
        let token = Token()
        closed = token
        queue.enqueue((1, token))
      }
      queue.close()
      #expect(closed == nil)
      guard case .closed = queue.enqueue((1, Token())) else {
        Issue.record("a closed queue accepted a value")
        return
      }
      stepped.runUntilIdle()
    }
  }

  @Test("values of other threads are delivered once for each time a key was added")
  func threads() throws {
    let stepped = try SteppedLoop()
    let (added, delivered) = (Locked(0), Locked(0))
    let queue = RunLoopValueQueue<Int>(
      on: stepped.loop,
      exclusiveBy: { $0 },
      batchSize: .unlimited
    ) { _, _ in delivered.withLock { $0 += 1 } }
    let group = AsyncTransaction(on: stepped.loop)
    for _ in 0..<4 {
      group.add { _ in
        for value in 0..<5000 {
          if case .queued = queue.enqueue(value % 50) { added.withLock { $0 += 1 } }
        }
      }
    }
    group.commit()
    stepped.waitForTransactions()
    stepped.runUntilIdle()
    #expect(delivered.withLock { $0 } == added.withLock { $0 })
    #expect(queue.count == 0)
    try stepped.close()
  }
}
