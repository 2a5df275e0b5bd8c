import Dispatch
import LoopTransactions
import LoopTransactionsDispatch
import TestSupport
import Testing

@Suite("ExecutorHost: fairness")
struct ExecutorHostFairnessTests {
  /// The ways in which a loop is never idle.
  enum Load: CaseIterable, Sendable { case selfCommit, posts }

  @Test(
    "at most one turn of a busy loop precedes a block of its queue",
    arguments: Load.allCases
  )  // C8
  func queue(_ load: Load) async throws {
    let (queue, turns, busy) = (DispatchQueue(label: "host"), Tally(), Busy())
    let host = try await ExecutorHost.make(on: HostExecutor(queue)) { loop in
      loop.addObserver(for: .beforeWaiting) { _ in turns.increment() }
    }
    let port = host.port
    // Not above, because this test may wait for a thread of the pool for minutes.
    if load == .selfCommit { try port.commit(busy, Busy.run) }
    let posters = (0..<(load == .posts ? 2 : 0)).map { _ in
      TestThread {
        while !busy.isOver {
          try? port.post {}
          TestThread.yield()
        }
      }
    }
    let blocks = Blocks(on: queue, counting: turns, upTo: 300)
    #expect(blocks.waitInTime())
    busy.end()
    for poster in posters { poster.join() }
    try await host.close()
    #expect(blocks.mostTurns == 1)
  }

  /// A transaction that commits itself.
  private final class Busy: Sendable {
    static let run = Selector<Busy>("run") { $0.run() }
    private let ends = Tally()

    var isOver: Bool { ends.value > 0 }

    func end() { ends.increment() }

    private func run() { if !isOver { EventLoop.current?.commit(self, Self.run) } }
  }

  /// The host's own blocks. Each one submits the next.
  private final class Blocks: Sendable {
    private let queue: DispatchQueue
    private let turns: Tally
    private let lastTurn: Int
    private let most = Locked(0)
    private let gate = Gate()

    init(on queue: DispatchQueue, counting turns: Tally, upTo lastTurn: Int) {
      (self.queue, self.turns, self.lastTurn) = (queue, turns, lastTurn)
      queue.async { self.next() }
    }

    /// The largest number of turns between the submission of a block and its run.
    var mostTurns: Int { most.withLock { $0 } }

    /// Waits until the last block has run. Returns false after a minute.
    func waitInTime() -> Bool { gate.waitInTime() }

    private func next() {
      let before = turns.value
      queue.async { [self] in
        let after = turns.value
        most.withLock { $0 = max($0, after - before) }
        if after >= lastTurn { gate.open() } else { next() }
      }
    }
  }
}
