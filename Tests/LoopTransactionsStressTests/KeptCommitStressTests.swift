import LoopTransactions
import LoopTransactionsTesting
import Synchronization
import TestSupport
import Testing

/// For each thread, the number it wrote before its last commit, and the last
/// number that the action read.
private final class Board: Sendable {
  static let read = Selector<Board>("stress read") { $0.readAll() }

  /// One thread's number.
  private final class Cell: Sendable {
    // Relaxed: only the commit orders the action's reads after the writes.
    let written = Atomic(0)
    let seen = Atomic(0)
  }

  private let cells: [Cell]
  private let runCount = Atomic(0)

  init(threads: Int) { cells = (0..<threads).map { _ in Cell() } }

  /// The number of times the action ran.
  var runs: Int { runCount.load(ordering: .relaxed) }

  func write(_ number: Int, by thread: Int) {
    cells[thread].written.store(number, ordering: .relaxed)
  }

  /// The last number of `thread` that the action read.
  func seen(of thread: Int) -> Int { cells[thread].seen.load(ordering: .relaxed) }

  private func readAll() {
    runCount.add(1, ordering: .relaxed)
    for cell in cells {
      cell.seen.store(cell.written.load(ordering: .relaxed), ordering: .relaxed)
    }
  }
}

@Suite("Stress: kept commits of other threads", .serialized)
struct KeptCommitStressTests {
  private static let threadCount = 3

  @Test("after each commit, an action reads everything written before it")  // T6
  func acknowledged() throws {
    try withLoop { loop in
      let board = Board(threads: Self.threadCount)
      let transaction = PortTransaction(board, Board.read, on: loop.awaitedPort)
      let (count, late, ended) = (Workload.count(40_000), Tally(), Tally())
      let threads = (0..<Self.threadCount).map { thread in
        let port = loop.awaitedPort
        return TestThread {
          var generator = SeededGenerator(seed: Workload.seed &+ UInt64(thread))
          for number in 1...count {
            board.write(number, by: thread)
            try? transaction.commit()
            // Most of the time, commit again immediately, so that commits can
            // coalesce.
            guard number == count || generator.next() % 4 == 0 else { continue }
            // This thread does not commit while it waits. A later commit would
            // hide a lost one.
            guard inTime({ board.seen(of: thread) >= number }) else {
              late.increment()
              break
            }
          }
          if ended.increment() == Self.threadCount { port.stop() }
        }
      }
      loop.run()
      for thread in threads { thread.join() }
      #expect(late.value == 0, "\(late.value) commits were not performed within 20 s")
      #expect((0..<Self.threadCount).allSatisfy { board.seen(of: $0) == count })
      #expect(board.runs <= Self.threadCount * count)
    }
  }

  @Test("a closing loop performs every accepted commit, and refuses later commits")  // L11, T6
  func closing() throws {
    for round in 0..<Workload.count(3_000) {
      let board = Board(threads: Self.threadCount)
      let loop = try EventLoop()
      let transaction = PortTransaction(board, Board.read, on: loop.awaitedPort)
      let accepted = (0..<Self.threadCount).map { _ in Tally() }
      let threads = (0..<Self.threadCount).map { thread in
        let mine = accepted[thread]
        return TestThread {
          for number in 1...10_000 {
            board.write(number, by: thread)
            do throws(LoopPort.PostError) { try transaction.commit() } catch { return }
            mine.increment()
          }
        }
      }
      for _ in 0..<round % 3 { loop.run(.noWait) }
      try loop.close()
      for thread in threads { thread.join() }
      let isRead = (0..<Self.threadCount).allSatisfy { board.seen(of: $0) >= accepted[$0].value }
      #expect(isRead, "round \(round)")
      guard isRead else { break }
    }
  }
}
