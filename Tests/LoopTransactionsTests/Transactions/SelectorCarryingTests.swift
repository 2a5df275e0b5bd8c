import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("Selector.Carrying")
struct SelectorCarryingTests {
  private static let first = Selector<Card>.Carrying<Int>("first", keep: .first) {
    $0.record("first \($1)")
  }
  private static let last = Selector<Card>.Carrying<Int>("last", keep: .last) {
    $0.record("last \($1)")
  }
  private static let standard = Selector<Card>.Carrying<Int>("standard") {
    $0.record("standard \($1)")
  }
  private static let joined = Selector<Card>.Carrying<[Int]>("joined", merge: { $0 + $1 }) {
    $0.record("joined \($1)")
  }
  private static let probes = Selector<Card>.Carrying<ReleaseProbe>("probes") { card, _ in
    card.record("probed")
  }

  // T8
  @Test("of several values the first, the last or their merge is kept, as the selector specifies")
  func keeps() throws {
    try stepping { stepped in
      let card = Card("a", stepped.trace)
      for value in 1...3 {
        stepped.loop.commit(card, Self.first, value)
        stepped.loop.commit(card, Self.last, value)
        stepped.loop.commit(card, Self.standard, value)
        stepped.loop.commit(card, Self.joined, [value])
      }
      stepped.runUntilIdle()
      #expect(
        stepped.trace.events == ["a.first 1", "a.last 3", "a.standard 3", "a.joined [1, 2, 3]"]
      )
      #expect(stepped.loop.metrics.coalesced == 8)
      #expect(stepped.loop.metrics.performed == 4)
    }
  }

  // T2, T8
  @Test("another value does not change the position of its transaction")
  func keepsPlace() throws {
    try stepping { stepped in
      let (a, b) = (Card("a", stepped.trace), Card("b", stepped.trace))
      stepped.loop.commit(a, Self.last, 1)
      stepped.loop.commit(b, Self.last, 1)
      stepped.loop.commit(a, Self.last, 2)
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["a.last 2", "b.last 1"])
    }
  }

  // T8
  @Test("the deinit of a replaced value may commit another value")
  func replacedValueCommits() async {
    await #expect(processExitsWith: .success) {
      try stepping { stepped in
        let (loop, card) = (stepped.loop, Card("a", stepped.trace))
        let keeps = Selector<Card>.Carrying<Farewell>("farewell") { $0.record($1.name) }
        loop.commit(card, keeps, Farewell("1") { loop.commit(card, keeps, Farewell("3") {}) })
        loop.commit(card, keeps, Farewell("2") {})
        stepped.runUntilIdle()
        #expect(stepped.trace.events == ["a.3"])
      }
    }
  }

  // T4, T8
  @Test("a value committed by the action itself is not merged, and is performed in the next tick")
  func beginsAnew() throws {
    try stepping { stepped in
      let loop = stepped.loop
      let again = Selector<Card>.Carrying<Int>("again", merge: +) { card, value in
        card.record("\(value)")
        card.body?(card)
      }
      let card = Card("a", stepped.trace)
      card.body = { card in
        card.body = nil
        loop.commit(card, again, 10)
        loop.commit(card, again, 20)
      }
      loop.commit(card, again, 1)
      stepped.step()
      #expect(stepped.trace.events == ["a.1"])
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["a.1", "a.30"])
    }
  }

  // T7, T8
  @Test("a transaction with a value can be queried, cancelled and performed immediately")
  func askedFor() throws {
    try stepping { stepped in
      let (loop, card) = (stepped.loop, Card("a", stepped.trace))
      #expect(!loop.isPending(card, Self.joined))
      #expect(!loop.cancel(card, Self.joined))
      #expect(!loop.performIfNeeded(card, Self.joined))
      loop.commit(card, Self.joined, [1])
      #expect(loop.isPending(card, Self.joined))
      #expect(loop.cancel(card, Self.joined))
      #expect(!loop.isPending(card, Self.joined))
      loop.commit(card, Self.joined, [2])
      loop.commit(card, Self.joined, [3])
      #expect(loop.performIfNeeded(card, Self.joined))
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["a.joined [2, 3]"])
    }
  }

  // T5, T8
  @Test("a value is released when it is replaced, cancelled or performed")
  func releases() throws {
    try stepping { stepped in
      let (loop, card) = (stepped.loop, Card("a", stepped.trace))
      loop.commit(card, Self.probes, ReleaseProbe(stepped.trace))
      #expect(stepped.trace.take() == [])
      loop.commit(card, Self.probes, ReleaseProbe(stepped.trace))
      #expect(stepped.trace.take() == ["released here"])
      loop.cancel(card, Self.probes)
      #expect(stepped.trace.take() == ["released here"])
      loop.commit(card, Self.probes, ReleaseProbe(stepped.trace))
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["a.probed", "released here"])
    }
  }

  // T9, T8
  @Test("an action with a value that throws is reported like any other")
  func reports() throws {
    struct Failure: Error {}
    try stepping { stepped in
      let failing = Selector<Card>.Carrying<Int>("failing") { _, _ in throw Failure() }
      let card = Card("a", stepped.trace)
      stepped.loop.errorHandler = { [trace = stepped.trace] in trace.record("\($0)") }
      stepped.loop.commit(card, failing, 1)
      stepped.loop.commit(card, Card.layout)
      stepped.runUntilIdle()
      #expect(
        stepped.trace.events == ["LoopTransactions: Card.failing threw Failure()", "a.layout"]
      )
    }
  }

  // T6, T8
  @Test("values committed by four threads are all merged, and performed once")
  func mergesFromThreads() throws {
    let sum = Selector<SharedCard>.Carrying<Int>("sum", merge: +) { $0.trace.record("\($1)") }
    try stepping { stepped in
      let (port, card) = (stepped.loop.awaitedPort, SharedCard("a", stepped.trace))
      stepped.loop.commit(card, sum, 1)
      everywhere(4) { _ in
        for value in 1...100 { try? port.commit(card, sum, value) }
      }
      stepped.loop.budget = .unlimited
      stepped.step()
      #expect(stepped.trace.events == ["\(1 + 4 * 5050)"])
    }
  }

  // T8
  @Test(
    "a merge closure that performs or commits the pair itself loses no value",
    arguments: [true, false]
  )
  func joinsWithin(performs: Bool) throws {
    try stepping { stepped in
      let (loop, trace, card) = (stepped.loop, stepped.trace, Card("a", stepped.trace))
      let joining = Joining(loop, card, performs: performs)
      loop.commit(card, joining.selector, 1)
      loop.commit(card, joining.selector, 2)
      stepped.runUntilIdle()
      #expect(trace.events == (performs ? ["1", "2"] : ["103"]))
    }
  }

  // T1, T8
  @Test("if two selectors have the same name, the first one decides how values merge")
  func firstDefinitionJoins() throws {
    try stepping { stepped in
      let (loop, trace) = (stepped.loop, stepped.trace)
      let card = Card("a", trace)
      let first = Selector<Card>.Carrying<Int>("joined twice", keep: .first) { card, value in
        card.trace.record("\(value)")
      }
      let second = Selector<Card>.Carrying<Int>("joined twice", merge: +) { card, value in
        card.trace.record("merged \(value)")
      }
      #expect(first == second)
      for selector in [first, second] {
        loop.commit(card, first, 1)
        loop.commit(card, selector, 2)
        stepped.runUntilIdle()
      }
      #expect(trace.events == ["1", "1"])
    }
  }
}

/// A selector whose merge closure, on its first call, performs the pair or
/// commits 100.
private final class Joining: @unchecked Sendable {
  // @unchecked: used only on the loop's thread.
  private let loop: EventLoop
  private let card: Card
  private let performs: Bool
  private var isFirst = true

  init(_ loop: EventLoop, _ card: Card, performs: Bool) {
    self.loop = loop
    self.card = card
    self.performs = performs
  }

  var selector: Selector<Card>.Carrying<Int> {
    .init("joining \(performs)", merge: { self.join($0, $1) }) { $0.trace.record("\($1)") }
  }

  private func join(_ old: Int, _ new: Int) -> Int {
    if isFirst {
      isFirst = false
      if performs { loop.performIfNeeded(card, selector) } else { loop.commit(card, selector, 100) }
    }
    return old + new
  }
}

/// A value that calls a closure in its deinit.
private final class Farewell {
  let name: String
  private let body: () -> Void

  init(_ name: String, _ body: @escaping () -> Void) {
    self.name = name
    self.body = body
  }

  deinit { body() }
}
