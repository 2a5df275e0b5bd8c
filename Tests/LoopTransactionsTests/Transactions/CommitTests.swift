import LoopTransactions
import LoopTransactionsTesting
import Testing

/// Equal to all instances of its type.
private final class Equal: Hashable {
  static let touch = Selector<Equal>("touch") { $0.trace.record($0.name) }

  let name: String
  let trace: Trace

  init(_ name: String, _ trace: Trace) {
    self.name = name
    self.trace = trace
  }

  static func == (_: Equal, _: Equal) -> Bool { true }

  func hash(into hasher: inout Hasher) {}
}

@Suite("Transactions: commit order")
struct CommitTests {
  // T2
  @Test("a pending pair keeps its position, however often it is committed")
  func keepsPlace() throws {
    try stepping { stepped in
      let cards = ["a", "b", "c"].map { Card($0, stepped.trace) }
      for index in [0, 1, 0, 2, 1, 0] { stepped.loop.commit(cards[index], Card.layout) }
      stepped.loop.commit(cards[0], Card.draw)
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["a.layout", "b.layout", "c.layout", "a.draw"])
      #expect(stepped.loop.metrics.coalesced == 3)
      #expect(stepped.loop.metrics.performed == 4)
    }
  }

  // T2
  @Test("targets that are equal but not identical are performed separately")
  func identityCounts() throws {
    try stepping { stepped in
      let targets = ["a", "b"].map { Equal($0, stepped.trace) }
      #expect(targets[0] == targets[1])
      for target in targets + targets { stepped.loop.commit(target, Equal.touch) }
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["a", "b"])
    }
  }

  // T2, T3
  @Test(
    "5,000 random commits are performed once each, in the order of the first commit",
    arguments: 1...3
  )
  func randomOrder(seed: UInt64) throws {
    try stepping { stepped in
      stepped.loop.budget = .unlimited
      var random = SeededGenerator(seed: seed)
      let cards = (0..<300).map { Card("\($0)", stepped.trace) }
      for _ in 0..<3 {
        var expected: [String] = []
        for _ in 0..<5000 {
          let index = Int.random(in: 0..<300, using: &random)
          let draws = Bool.random(using: &random)
          stepped.loop.commit(cards[index], draws ? Card.draw : Card.layout)
          let event = "\(index).\(draws ? "draw" : "layout")"
          if !expected.contains(event) { expected.append(event) }
        }
        #expect(stepped.runUntilIdle() == 1)
        #expect(stepped.trace.take() == expected)
      }
    }
  }

  // T3
  @Test("transactions are performed after queues at 0 and the display at 2,000,000, before Int.max")
  func orderAmongObservers() throws {
    try stepping { stepped in
      let (loop, trace) = (stepped.loop, stepped.trace)
      let card = Card("a", trace)
      let queue = recordingQueue(on: stepped)
      for order in [Int.max, 0x100_0000, 0xFF_FFFE, 2_000_000, 1, -1, .min] {
        loop.addObserver(for: [.beforeWaiting, .exit], order: order) { activity in
          trace.record("\(activity) \(order)")
        }
      }
      loop.commit(card, Card.layout)
      queue.enqueue(Parcel("p"))
      loop.addObserver(for: .afterWaiting, repeats: false) { _ in loop.commit(card, Card.draw) }
      loop.run(.noWait)
      #expect(
        trace.events == [
          "beforeWaiting \(Int.min)", "beforeWaiting -1", "p, the last", "drain",
          "beforeWaiting 1", "beforeWaiting 2000000", "beforeWaiting 16777214", "a.layout",
          "beforeWaiting 16777216", "beforeWaiting \(Int.max)",
          "exit \(Int.min)", "exit -1", "exit 1", "exit 2000000", "exit 16777214", "a.draw",
          "exit 16777216", "exit \(Int.max)",
        ]
      )
    }
  }

  // T5
  @Test("a target is retained until it is performed, and no longer")
  func keepsAlive() throws {
    try stepping { stepped in
      stepped.loop.commit(ReleaseProbe(stepped.trace), ReleaseProbe.touch)
      #expect(stepped.trace.events == [])
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["touched", "released here"])
    }
  }

  // T2
  @Test("a duplicate commit retains nothing")
  func duplicatesRetainNothing() throws {
    try stepping { stepped in
      var probe: ReleaseProbe? = ReleaseProbe(stepped.trace)
      for _ in 0..<3 { try stepped.loop.commit(#require(probe), ReleaseProbe.touch) }
      probe = nil
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["touched", "released here"])
    }
  }

  // T10
  @Test("the memory of a burst of a million pairs is freed by their flush")
  func shrinksAfterBurst() async {
    await #expect(processExitsWith: .success) {
      let loop = try EventLoop()
      let cards = (0..<1000).map { Card("\($0)", Trace()) }
      let selectors = (0..<1000).map { Selector<Card>("burst \($0)") { _ in } }
      guard let before = residentBytes() else { return try loop.close() }
      for card in cards { for selector in selectors { loop.commit(card, selector) } }
      let during = try #require(residentBytes())
      loop.run()
      let after = try #require(residentBytes())
      try loop.close()
      // Each entry takes 32 bytes, and four slots of 4 bytes.
      #expect(during - before > 40_000_000)
      #expect(after - before < 5_000_000)
    }
  }
}
