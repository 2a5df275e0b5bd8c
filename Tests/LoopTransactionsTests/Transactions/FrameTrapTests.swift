import LoopTransactions
import LoopTransactionsTesting
import Testing

// T11, L1
@Suite("Commits at a clock's next frame: misuse")
struct FrameTrapTests {
  private static let message =
    "the frame clock belongs to another loop; pass a clock of this loop"

  enum Misuse: String, CaseIterable, Codable, Sendable {
    case commit = "EventLoop.commit"
    case commitValue = "EventLoop.commit "
    case keptCommit = "Transaction.commit"
    case port = "PortTransaction.init"

    var operation: String { rawValue.split(separator: " ").map(String.init).joined() }

    /// Passes `clock`, which must be a clock of `loop`.
    func make(on loop: EventLoop, _ card: SharedCard, _ clock: FrameClock) {
      switch self {
      case .commit: loop.commit(card, SharedCard.layout, atNextFrameOf: clock)
      case .commitValue:
        let told = Selector<SharedCard>.Carrying<Int>("frame told") { _, _ in }
        loop.commit(card, told, 1, atNextFrameOf: clock)
      case .keptCommit:
        Transaction(card, SharedCard.layout, on: loop).commit(atNextFrameOf: clock)
      case .port:
        _ = PortTransaction(card, SharedCard.layout, on: loop.port, atNextFrameOf: clock)
      }
    }
  }

  @Test("a clock of another loop traps", arguments: Misuse.allCases)
  func otherLoop(misuse: Misuse) async {
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) { [misuse] in
      let (loop, other) = (try EventLoop(), try EventLoop())
      let card = SharedCard("a", Trace())
      misuse.make(on: loop, card, try FrameClock(on: other))
    }
    #expect(said(result, "\(misuse.operation): \(Self.message)"))
  }

  @Test("another thread traps", arguments: [Misuse.commit, .commitValue, .port])
  func otherThread(misuse: Misuse) async {
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) { [misuse] in
      let loop = try EventLoop()
      let (card, clock) = (SharedCard("a", Trace()), try FrameClock(on: loop))
      // Otherwise getting the port traps.
      let port = loop.port
      elsewhere {
        if case .port = misuse {
          _ = PortTransaction(card, SharedCard.layout, on: port, atNextFrameOf: clock)
        } else {
          misuse.make(on: loop, card, clock)
        }
      }
    }
    let message = "the loop belongs to another thread; use its port from this one"
    #expect(said(result, "\(misuse.operation): \(message)"))
  }

  @Test("a kept transaction that waits for a frame traps when another thread commits it")
  func keptElsewhere() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (loop, card) = (try EventLoop(), Card("a", Trace()))
      let clock = try FrameClock(on: loop)
      let kept = Transaction(card, Card.layout, on: loop)
      kept.commit(atNextFrameOf: clock)
      elsewhere { kept.commit(atNextFrameOf: clock) }
    }
    #expect(said(result, "Transaction.commit: the loop belongs to another thread"))
  }

  @Test("a commit on a closed loop traps")
  func closed() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let loop = try EventLoop()
      let clock = try FrameClock(on: loop)
      try loop.close()
      loop.commit(Card("a", Trace()), Card.layout, atNextFrameOf: clock)
    }
    #expect(said(result, "EventLoop.commit: the loop is closed"))
  }

  @Test("announcing the frame of a clock with a timer traps")
  func beginTimed() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let loop = try EventLoop()
      try FrameClock(on: loop).beginFrame()
    }
    #expect(said(result, "FrameClock.beginFrame: the clock has a timer; create it with"))
  }

  @Test("announcing a frame on another thread traps")
  func beginElsewhere() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let loop = try EventLoop()
      let clock = FrameClock(hostedOn: loop) {}
      elsewhere { clock.beginFrame() }
    }
    #expect(said(result, "FrameClock.beginFrame: the loop belongs to another thread"))
  }
}
