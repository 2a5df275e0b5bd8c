import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

/// Takes its equality and hash from its card, like YYWeakProxy. Both change
/// when the card dies.
private final class Proxy: Hashable {
  static let touch = Selector<Proxy>("touch") { $0.trace.record("touched") }

  weak var card: Card?
  let trace: Trace

  init(_ card: Card, _ trace: Trace) {
    self.card = card
    self.trace = trace
  }

  static func == (left: Proxy, right: Proxy) -> Bool { left.card === right.card }

  func hash(into hasher: inout Hasher) { hasher.combine(card.map(ObjectIdentifier.init)) }
}

/// Known defects of YYTransaction. None of them may exist here.
@Suite("Transactions: defects of YYTransaction")
struct InheritedDefectsTests {
  // T3
  @Test("transactions are performed in commit order, not in the order of a hash table")
  func hashOrder() throws {
    try stepping { stepped in
      stepped.loop.budget = .unlimited
      let cards = (0..<1000).map { Card("\($0)", stepped.trace) }
      for card in cards.reversed() { stepped.loop.commit(card, Card.layout) }
      stepped.runUntilIdle()
      #expect(stepped.trace.events == cards.reversed().map { "\($0.name).layout" })
    }
  }

  // T6. `TransactionTrapTests` has the trap for a commit off the loop's thread.
  @Test("commits from other threads during a flush do not disturb it, and are not lost")
  func unguardedCommit() throws {
    try stepping { stepped in
      let (loop, port) = (stepped.loop, stepped.loop.awaitedPort)
      loop.budget = .unlimited
      let shared = (0..<500).map { SharedCard("\($0)", stepped.trace) }
      let first = Card("first", stepped.trace) { card in
        elsewhere { for card in shared { try? port.commit(card, SharedCard.layout) } }
        card.record("run")
      }
      loop.commit(first, Card.run)
      loop.commit(shared[499], SharedCard.layout)
      stepped.step()
      #expect(stepped.trace.take() == ["first.run", "499.layout"])
      stepped.runUntilIdle()
      #expect(stepped.trace.events == shared.map { "\($0.name).layout" })
    }
  }

  // T4, L5. For a commit through a port to a sleeping loop, see "a commit from
  // another thread wakes a sleeping loop".
  @Test("a commit within a flush is performed without another event")
  func commitWakesNobody() throws {
    let loop = try EventLoop()
    let trace = Trace()
    let card = Card("a", trace) { card in
      if trace.events.count < 3 { loop.commit(card, Card.run) }
      card.record("run")
    }
    loop.commit(card, Card.run)
    #expect(loop.run() == .finished)
    #expect(trace.events == Array(repeating: "a.run", count: 4))
    card.body = nil
    try loop.close()
  }

  // L9
  @Test("a thousand heavy actions do not run in one tick")
  func unboundedFlush() throws {
    try stepping { stepped in
      let cards = (0..<1000).map { name in
        Card("\(name)", stepped.trace) { _ in stepped.spend(.milliseconds(1)) }
      }
      for card in cards { stepped.loop.commit(card, Card.run) }
      let ticks = stepped.runUntilIdle()
      #expect(ticks == 250)
      #expect(stepped.loop.metrics.performed == 1000)
    }
  }

  // T3
  @Test("a consumer may be performed before the display commit or after it")
  func behindTheDisplay() throws {
    try stepping { stepped in
      let (loop, trace) = (stepped.loop, stepped.trace)
      let (early, late) = (Card("early", trace), Card("late", trace))
      loop.addObserver(for: .beforeWaiting, order: 1_999_999) { _ in
        loop.performIfNeeded(early, Card.layout)
      }
      loop.addObserver(for: .beforeWaiting, order: 2_000_000) { _ in trace.record("display") }
      loop.commit(late, Card.layout)
      loop.commit(early, Card.layout)
      stepped.runUntilIdle()
      #expect(trace.events == ["early.layout", "display", "late.layout"])
    }
  }

  // T5, T7
  @Test("a pending transaction can be cancelled, and is skipped if its target dies")
  func noCancel() throws {
    try stepping { stepped in
      let card = Card("a", stepped.trace)
      var dying: Card? = Card("b", stepped.trace)
      stepped.loop.commit(card, Card.layout)
      let weak = try Transaction(#require(dying), Card.layout, on: stepped.loop, hold: .weak)
      weak.commit()
      stepped.loop.cancel(card, Card.layout)
      dying = nil
      stepped.runUntilIdle()
      #expect(stepped.trace.events == [])
    }
  }

  // T9
  @Test("after an action throws, all others are performed")
  func throwLosesTheRest() throws {
    struct Failure: Error {}
    try stepping { stepped in
      let trace = stepped.trace
      let failing = Selector<Card>("defect throws") { card in throw Failure() }
      stepped.loop.errorHandler = { trace.record("\($0.selector) failed") }
      let cards = ["a", "b", "c"].map { Card($0, trace) }
      for card in cards {
        stepped.loop.commit(card, failing)
        stepped.loop.commit(card, Card.layout)
      }
      stepped.runUntilIdle()
      let events = cards.flatMap { ["defect throws failed", "\($0.name).layout"] }
      #expect(trace.events == events)
    }
  }

  // T2
  @Test("a target whose hash and equality change while it is pending is still the same target")
  func unstableHash() throws {
    try stepping { stepped in
      var card: Card? = Card("a", stepped.trace)
      let proxies = try [
        Proxy(#require(card), stepped.trace), Proxy(#require(card), stepped.trace),
      ]
      #expect(proxies[0] == proxies[1])
      stepped.loop.commit(proxies[0], Proxy.touch)
      card = nil
      for proxy in proxies + proxies { stepped.loop.commit(proxy, Proxy.touch) }
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["touched", "touched"])
    }
  }

  // T1, T2
  @Test("actions with the same function but different behaviour have different names")
  func sameFunction() throws {
    try stepping { stepped in
      func selector(_ side: String) -> Selector<Card> {
        Selector("defect \(side)") { $0.record(side) }
      }
      let card = Card("a", stepped.trace)
      for side in ["left", "right", "left"] { stepped.loop.commit(card, selector(side)) }
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["a.left", "a.right"])
    }
  }

  // T8
  @Test("a later commit can replace the value of a pending one")
  func firstInstanceWins() throws {
    try stepping { stepped in
      let place = Selector<Card>.Carrying<String>("defect value", keep: .last) { $0.record($1) }
      let card = Card("a", stepped.trace)
      stepped.loop.commit(card, place, "stale")
      stepped.loop.commit(card, place, "fresh")
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["a.fresh"])
    }
  }
}
