import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("PortTransaction")
struct PortTransactionTests {
  // T6, T10
  @Test("100,000 commits from another thread use one inbox entry and perform one action")
  func coalesces() throws {
    try stepping { stepped in
      let loop = stepped.loop
      let card = SharedCard("a", stepped.trace)
      let layout = PortTransaction(card, SharedCard.layout, on: loop.port)
      // I32: only the first commit sets the mark and adds an item.
      elsewhere { for _ in 0..<100_000 { try? layout.commit() } }
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["a.layout"])
      #expect(loop.metrics.posts == 1 && loop.metrics.coalesced == 0)
      #expect(loop.metrics.wakesSent <= 1)
    }
  }

  // T3, T6
  @Test("a pair keeps the position of its first commit, among commits of every kind")
  func keepsItsPlace() throws {
    try stepping { stepped in
      let (loop, port) = (stepped.loop, stepped.loop.port)
      let cards = ["a", "b", "c", "d"].map { SharedCard($0, stepped.trace) }
      let kept = [0, 1].map { PortTransaction(cards[$0], SharedCard.layout, on: port) }
      elsewhere {
        try? kept[0].commit()
        try? port.commit(cards[2], SharedCard.layout)
        try? kept[1].commit()
        try? kept[0].commit()
        try? port.commit(cards[0], SharedCard.layout)
      }
      loop.commit(cards[3], SharedCard.layout)
      loop.commit(cards[1], SharedCard.layout)
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["d.layout", "b.layout", "a.layout", "c.layout"])
      #expect(loop.metrics.coalesced == 2)
    }
  }

  // T4, T6
  @Test("a commit made while the action runs is performed again in the next tick")
  func commitWhileItRuns() throws {
    try stepping { stepped in
      let trace = stepped.trace
      let box = Smuggled(PortBox())
      let again = Selector<SharedCard>("port again") { card in
        card.trace.record("performed")
        guard box.value.count > 0 else { return }
        box.value.count -= 1
        elsewhere { try? box.value.transaction?.commit() }
      }
      let card = SharedCard("a", trace)
      let transaction = PortTransaction(card, again, on: stepped.loop.port)
      box.value.transaction = transaction
      elsewhere { try? transaction.commit() }
      stepped.step()
      #expect(trace.take() == ["performed"])
      stepped.step()
      #expect(trace.take() == ["performed"])
      stepped.runUntilIdle()
      #expect(trace.take() == ["performed"])
      box.value.transaction = nil
    }
  }

  // T6, T7
  @Test("a commit made after the loop took the pair is performed, even if the pair was cancelled")
  func afterCancel() throws {
    try stepping { stepped in
      let (loop, card) = (stepped.loop, SharedCard("a", stepped.trace))
      let layout = PortTransaction(card, SharedCard.layout, on: loop.port)
      elsewhere { try? layout.commit() }
      // This observer is called after the post that takes the pair, and before
      // transactions are performed.
      loop.addObserver(for: .beforeWaiting, repeats: false) { _ in
        #expect(loop.cancel(card, SharedCard.layout))
        elsewhere { try? layout.commit() }
      }
      stepped.step()
      #expect(stepped.trace.take() == [])
      stepped.runUntilIdle()
      #expect(stepped.trace.take() == ["a.layout"])
    }
  }

  // T6, T7
  @Test("a commit on the loop's own thread is pending immediately")
  func onTheLoop() throws {
    try stepping { stepped in
      let (loop, card) = (stepped.loop, SharedCard("a", stepped.trace))
      let layout = PortTransaction(card, SharedCard.layout, on: loop.port)
      elsewhere { try? layout.commit() }
      #expect(!loop.isPending(card, SharedCard.layout))
      try layout.commit()
      #expect(loop.isPending(card, SharedCard.layout))
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["a.layout"])
    }
  }

  // T5
  @Test("a target lives until it is performed, no longer, and is released on the loop's thread")
  func keepsTargetWhilePending() throws {
    try stepping { stepped in
      let port = stepped.loop.port
      var probe: ReleaseProbe? = ReleaseProbe(stepped.trace)
      let first = try PortTransaction(#require(probe), ReleaseProbe.touch, on: port)
      elsewhere { for _ in 0..<3 { try? first.commit() } }
      probe = nil
      #expect(stepped.trace.events == [])
      stepped.runUntilIdle()
      #expect(stepped.trace.take() == ["touched", "released here"])
      // A transaction that is not committed does not retain its target.
      probe = ReleaseProbe(stepped.trace)
      let second = try PortTransaction(#require(probe), ReleaseProbe.touch, on: port)
      probe = nil
      #expect(stepped.trace.events == ["released here"])
      withExtendedLifetime((first, second)) {}
    }
  }

  // T5
  @Test("a transaction released while its commit waits is still performed")
  func droppedWhileItWaits() throws {
    try stepping { stepped in
      let card = SharedCard("a", stepped.trace)
      weak var witness: PortTransaction?
      do {
        let layout = PortTransaction(card, SharedCard.layout, on: stepped.loop.port)
        witness = layout
        elsewhere { try? layout.commit() }
      }
      #expect(witness != nil)
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["a.layout"])
      #expect(witness == nil)
    }
  }

  // T6, L2
  @Test("a closed loop refuses every commit, on every thread, and retains no target")
  func refuses() throws {
    let loop = try EventLoop()
    let trace = Trace()
    var probe: ReleaseProbe? = ReleaseProbe(trace)
    let touch = try PortTransaction(#require(probe), ReleaseProbe.touch, on: loop.port)
    elsewhere { #expect(throws: Never.self) { try touch.commit() } }
    try loop.close()
    #expect(trace.take() == ["touched"])
    elsewhere {
      for _ in 0..<2 { #expect(throws: LoopPort.PostError.closed) { try touch.commit() } }
    }
    #expect(throws: LoopPort.PostError.closed) { try touch.commit() }
    probe = nil
    #expect(trace.events == ["released here"])
  }

  // L12
  @Test("a child process refuses a commit that would coalesce with its parent's")
  func refusesInChild() async {
    await #expect(processExitsWith: .success) {
      Process.endInTime()
      let loop = try EventLoop()
      let card = SharedCard("a", Trace())
      let layout = PortTransaction(card, SharedCard.layout, on: loop.port)
      // Fork on another thread, so that the child's only thread is not the
      // loop's.
      elsewhere {
        try? layout.commit()
        let ending = Process.fork {
          var refusal: LoopPort.PostError?
          do throws(LoopPort.PostError) { try layout.commit() } catch { refusal = error }
          if refusal != .forked { fatalError("\(String(describing: refusal))") }
        }
        #expect(ending.status == 0)
      }
      try loop.close()
    }
  }
}

/// The transaction that an action commits again, and the number of commits
/// left.
private final class PortBox {
  var transaction: PortTransaction?
  var count = 2
}
