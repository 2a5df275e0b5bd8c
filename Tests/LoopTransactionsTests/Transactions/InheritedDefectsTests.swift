import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

/// Equal to what it stands for while that lives, as YYWeakProxy; then to nothing.
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

/// The defects of YYTransaction, by their numbers in the study of it.
@Suite("Defects of YYTransaction that must not come back")
struct InheritedDefectsTests {
  // D-1
  @Test("D-1: the order is that of the commits, not of a hash table")
  func hashOrder() throws {
    try stepping { stepped in
      stepped.loop.budget = .unlimited
      let cards = (0..<1000).map { Card("\($0)", stepped.trace) }
      for card in cards.reversed() { stepped.loop.commit(card, Card.layout) }
      stepped.runUntilIdle()
      #expect(stepped.trace.events == cards.reversed().map { "\($0.name).layout" })
    }
  }

  // D-2: the other half, a trap off the thread, is among the traps.
  @Test("D-2: commits of other threads during a flush neither disturb it nor are lost")
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

  // D-3: through a port, and on a loop that would block: see "a commit of another
  // thread wakes a loop that sleeps".
  @Test("D-3: a commit within a flush needs no other event to be performed")
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

  // D-4
  @Test("D-4: a thousand heavy actions do not fill one tick")
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

  // D-5
  @Test("D-5: a consumer chooses to be performed before the display commit, or behind it")
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

  // D-6
  @Test("D-6: what is useless can be cancelled, or die while it is pending")
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

  // D-7
  @Test("D-7: after an action that throws, every other one is performed")
  func throwLosesTheRest() throws {
    struct Failure: Error {}
    try stepping { stepped in
      let trace = stepped.trace
      let failing = Selector<Card>("D-7") { card in throw Failure() }
      stepped.loop.errorHandler = { trace.record("\($0.selector) failed") }
      let cards = ["a", "b", "c"].map { Card($0, trace) }
      for card in cards {
        stepped.loop.commit(card, failing)
        stepped.loop.commit(card, Card.layout)
      }
      stepped.runUntilIdle()
      let events = cards.flatMap { ["D-7 failed", "\($0.name).layout"] }
      #expect(trace.events == events)
    }
  }

  // D-8
  @Test("D-8: a target whose hash and equality change while it is pending stays the same target")
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

  // D-8
  @Test("D-8: actions that differ by what they do, not by their function, have names of their own")
  func sameFunction() throws {
    try stepping { stepped in
      func selector(_ side: String) -> Selector<Card> {
        Selector("D-8 \(side)") { $0.record(side) }
      }
      let card = Card("a", stepped.trace)
      for side in ["left", "right", "left"] { stepped.loop.commit(card, selector(side)) }
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["a.left", "a.right"])
    }
  }

  // D-8b
  @Test("D-8b: a later commit can refresh the data of a pending one")
  func firstInstanceWins() throws {
    try stepping { stepped in
      let place = Selector<Card>.Carrying<String>("D-8b", keep: .last) { $0.record($1) }
      let card = Card("a", stepped.trace)
      stepped.loop.commit(card, place, "stale")
      stepped.loop.commit(card, place, "fresh")
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["a.fresh"])
    }
  }
}
