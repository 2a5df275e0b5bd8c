import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("Embedding: calls to the host and from it")
struct EmbeddingChangeTests {
  enum Way: String, CaseIterable, Codable, Sendable {
    case commit, byPort, kept, weakly
  }

  @Test(
    "a committed target is alive and pending in onChange, which may perform or cancel it",
    arguments: Way.allCases,
    [true, false]
  )  // C5, T5, T7
  func commitIsWhole(way: Way, performs: Bool) async {
    await #expect(processExitsWith: .success) { [way, performs] in
      let (performed, released) = (Tally(), Tally())
      let target = Held(performed, released)
      let loop = try EventLoop()
      var wasPending = false
      let embedding = Embedding(loop) { [weak target, unowned loop] in
        guard let target else { return }
        wasPending =
          performs
          ? loop.performIfNeeded(target, Held.touch) : loop.cancel(target, Held.touch)
      }
      switch way {
      case .commit: loop.commit(target, Held.touch)
      case .byPort: try loop.port.commit(target, Held.touch)
      case .kept: Transaction(target, Held.touch, on: loop).commit()
      case .weakly: Transaction(target, Held.touch, on: loop, hold: .weak).commit()
      }
      #expect(wasPending)
      #expect(!loop.isPending(target, Held.touch))
      #expect(released.value == 0)
      embedding.turn()
      #expect(performed.value == (performs ? 1 : 0))
      try loop.close()
      withExtendedLifetime(target) {}
    }
  }

  @Test(
    "turn(), cancel() and close() trap in onChange",
    arguments: ["turn", "cancel", "close"]
  )  // C5
  func refused(name: String) async {
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) { [name] in
      let loop = try EventLoop()
      let box = Box<Embedding>()
      box.value = Embedding(loop) { [unowned loop] in
        switch name {
        case "turn": box.value?.turn()
        case "cancel": box.value?.cancel()
        default: try? loop.close()
        }
      }
      loop.commit {}
    }
    let messages = [
      "turn": "Embedding.turn: must not be called in Embedding.onChange",
      "cancel": "Embedding.cancel: must not be called in Embedding.onChange",
      "close": "EventLoop.close: must not be called in Embedding.onChange",
    ]
    #expect(said(result, messages[name] ?? ""))
  }

  @Test("asking for the timeout does not call onChange")  // C5
  func asking() throws {
    try withLoop { loop in
      let (port, changes) = (loop.port, Tally())
      let embedding = Embedding(loop) {
        changes.increment()
      } wake: {
        true
      }
      embedding.settle()
      TestThread.run { try? port.post {} }
      #expect(embedding.nextTimeout == .zero)
      #expect(changes.value == 0)
      // Changes after this call onChange again.
      embedding.settle()
      loop.commit {}
      #expect(changes.value == 1)
      embedding.cancel()
    }
  }

  @Test("an ended embedding's wake is released last, so its captures may embed the loop again")
  func releasedLast() throws {  // C5, L6
    try withLoop { loop in
      let port = loop.port
      let (next, owner) = (Smuggled(Box<Embedding>()), Smuggled(loop))
      let first = { () -> Embedding in
        let witness = Witness { next.value.value = Embedding(owner.value) }
        return Embedding(
          loop,
          wake: {
            witness.touch()
            return false
          }
        )
      }()
      first.settle()
      first.cancel()
      let second = try #require(next.value.value)
      TestThread.run { try? port.post {} }
      #expect(waitFor(second.pollDescriptor, .zero))
      second.cancel()
      next.value.value = nil
    }
  }

  /// Counts how often it was performed and released.
  private final class Held: Sendable {
    static let touch = Selector<Held>("touch") { $0.performed.increment() }

    private let performed: Tally
    private let released: Tally

    init(_ performed: Tally, _ released: Tally) {
      self.performed = performed
      self.released = released
    }

    deinit { released.increment() }
  }

  private final class Box<Value> {
    var value: Value?
  }
}
