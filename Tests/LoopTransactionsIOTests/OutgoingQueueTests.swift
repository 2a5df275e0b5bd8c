import LoopTransactionsIO
import LoopTransactionsTesting
import Testing

@Suite("OutgoingQueue")
struct OutgoingQueueTests {
  // Computed once: under ThreadSanitizer, a closure call per byte is slow.
  private static let pattern = (0..<70_256).map { UInt8(truncatingIfNeeded: $0 &* 7) }

  @Test("bytes leave the queue in order, however they are written and sent", arguments: 0..<40)
  func order(_ seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var (queue, pool) = (OutgoingQueue(), ChunkPool())
    var (written, sent): ([UInt8], [UInt8]) = ([], [])
    for _ in 0..<200 {
      if Bool.random(using: &generator) {
        let sizes = [0, 1, 100, 511, 513, 8192, 9000, 70_000]
        let size = sizes.randomElement(using: &generator) ?? 0
        let start = Int.random(in: 0..<256, using: &generator)
        let bytes = Array(Self.pattern[start..<start + size])
        if Bool.random(using: &generator) {
          bytes.withUnsafeBytes { queue.append($0, &pool) }
        } else {
          queue.append(shared: SharedBytes(bytes), &pool)
        }
        written += bytes
      } else {
        let limit = Int.random(in: 1...100_000, using: &generator)
        let front = Self.front(queue, limit: limit)
        #expect(front.count == min(limit, queue.count))
        let length = Int.random(in: 0...front.count, using: &generator)
        sent += front[..<length]
        queue.didSend(length, &pool)
      }
      #expect(queue.count == written.count - sent.count)
      #expect(queue.isEmpty == (queue.count == 0))
    }
    while !queue.isEmpty {
      let front = Self.front(queue)
      sent += front
      queue.didSend(front.count, &pool)
    }
    #expect(sent == written)
  }

  @Test("a sent chunk returns to the pool, and shared bytes do not")
  func recycling() {
    var (queue, pool) = (OutgoingQueue(), ChunkPool())
    [UInt8](repeating: 1, count: 20_000).withUnsafeBytes { queue.append($0, &pool) }
    #expect(pool.count == 0)
    queue.didSend(10_000, &pool)
    #expect(pool.count == 1)
    queue.didSend(10_000, &pool)
    #expect(pool.count == 3)
    let shared = SharedBytes([UInt8](repeating: 2, count: ChunkPool.chunkSize))
    queue.append(shared: shared, &pool)
    queue.removeAll(&pool)
    #expect(pool.count == 3)
    #expect(shared.count == ChunkPool.chunkSize)
  }

  @Test("one write can have 4 GB and more")
  func huge() {
    let start = UnsafeRawPointer(bitPattern: 4096)
    // Not read.
    let bytes = UnsafeRawBufferPointer(start: start, count: 5 << 30)
    #expect(StreamBuffer(bytes).bytes.count == 5 << 30)
  }

  @Test("shared bytes above a few hundred are not copied")
  func sharing() {
    var (queue, pool) = (OutgoingQueue(), ChunkPool())
    let shared = SharedBytes([UInt8](repeating: 3, count: 4096))
    queue.append(shared: shared, &pool)
    #expect(pool.count == 0)
    queue.removeAll(&pool)
    #expect(pool.count == 0)
  }

  /// The first bytes of the queue, as a write would see them.
  private static func front(_ queue: OutgoingQueue, limit: Int = .max) -> [UInt8] {
    var queue = queue
    return queue.withBuffers(limit: limit) { buffers, _ in buffers.flatMap { Array($0.bytes) } }
  }
}

@Suite("WaterMarks")
struct WaterMarksTests {
  @Test("writability ends at the high mark and returns at the low mark")
  func marks() {
    var marks = WaterMarks(low: 2, high: 5)
    func change(_ queued: Int) -> (Bool, Bool) {
      marks.didQueue(queued)
      return (marks.isWritable, marks.didSend(queued))
    }
    #expect(change(4) == (true, false))
    #expect(change(5) == (false, false))
    #expect(change(3) == (false, false))
    #expect(change(2) == (false, true))
    #expect(change(4) == (true, false))
    #expect(change(0) == (true, false))
  }

  @Test("new marks apply at once")
  func change() {
    var marks = WaterMarks(low: 2, high: 5)
    let isWritable = [marks.set(low: 0, high: 3, queued: 4), marks.set(low: 4, high: 6, queued: 4)]
    #expect(isWritable == [false, true])
    #expect(marks.isWritable)
  }
}

@Suite("ConnectionState")
struct ConnectionStateTests {
  enum Event: CaseIterable {
    case peerEnds, finish, close, lost, sent, queued, shutDown
  }

  @Test("in every order of events, nothing follows the end and every ending is taken once")
  func orders() {
    explore([], ConnectionState(), queued: 0, endings: 0, shutdowns: 0)
  }

  private func explore(
    _ events: [Event],
    _ state: ConnectionState,
    queued: Int,
    endings: Int,
    shutdowns: Int
  ) {
    guard events.count < 6 else { return }
    for event in Event.allCases {
      var (state, queued, endings, shutdowns) = (state, queued, endings, shutdowns)
      let before = state
      switch event {
      case .peerEnds: state.peerDidEnd()
      case .finish: state.finishWriting()
      case .close: state.startClosing()
      case .lost:
        if state.stage != .closed { endings += 1 }
        state.close()
      case .sent: queued = 0
      case .queued: if state.takesWrites { queued = 1 }
      case .shutDown: state.didShutDown()
      }
      switch state.next(queued: queued) {
      case .none: break
      case .shutDown: shutdowns += 1
      case .close:
        endings += 1
        state.close()
      }
      let order = events + [event]
      #expect(endings == (state.stage == .closed ? 1 : 0), "\(order)")
      #expect(shutdowns <= 1, "\(order)")
      #expect(before.takesWrites || !state.takesWrites, "\(order)")
      #expect(before.takesReads || !state.takesReads, "\(order)")
      let isOver = state.stage == .closing || state.sending == .finished && state.hasEnded
      #expect(queued > 0 || !isOver || state.stage == .closed, "\(order)")
      explore(order, state, queued: queued, endings: endings, shutdowns: shutdowns)
    }
  }
}
