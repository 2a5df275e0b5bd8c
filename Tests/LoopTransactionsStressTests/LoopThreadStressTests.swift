import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

/// Hands over work to the loops of `threads` in turn until all have refused it.
private func handOver(to threads: [LoopThread], _ ledger: Ledger) {
  let sequences = threads.map { _ in Sequence(ledger) }
  var posted = threads.map { _ in 0 }
  var open = Set(threads.indices)
  while !open.isEmpty {
    ledger.waitForLoops()
    for index in open {
      let (port, sequence, number) = (threads[index].port, sequences[index], posted[index])
      let isIn = ledger.hand { () throws(LoopPort.PostError) in
        try port.post { sequence.run(number) }
      }
      if isIn { posted[index] += 1 } else { open.remove(index) }
      ledger.hand { () throws(LoopPort.PostError) in
        try port.commit(Parcel(ledger), Parcel.deliver)
      }
    }
  }
}

@Suite("Stress: loop threads", .serialized)
struct LoopThreadStressTests {
  @Test("a post that races the stop of its thread runs once or is refused")  // G1, L2, L11
  func stops() throws {
    for round in 0..<Workload.count(2_000) {
      let ledger = Ledger()
      let thread = try LoopThread(name: "stress")
      let posters = (0..<2).map { _ in TestThread { handOver(to: [thread], ledger) } }
      if round.isMultiple(of: 2) { TestThread.yield() }
      thread.stop()
      try thread.join()
      for poster in posters { poster.join() }
      #expect(ledger.ran == ledger.accepted, "round \(round)")
      #expect(ledger.twice == 0, "round \(round)")
      #expect(ledger.outOfOrder == 0, "round \(round)")
      guard ledger.ran == ledger.accepted else { break }
    }
  }

  @Test("a group that is shut down under load performs everything it accepted")  // G2, L2, L11
  func shutsDown() async throws {
    for round in 0..<Workload.count(200) {
      let (ledger, runs) = (Ledger(), Tally())
      let group = try LoopGroup(name: "stress", count: 4)
      let posters = (0..<2).map { _ in TestThread { handOver(to: group.threads, ledger) } }
      let tasks = (0..<4).map { number in
        Task {
          // Ends with the refusal.
          while true { try await group.loop(for: number).run { _ in _ = runs.increment() } }
        }
      }
      if round.isMultiple(of: 2) { _ = try? await group.next().run { _ in } }
      async let other: Void = group.shutDown()
      try await group.shutDown()
      try await other
      for poster in posters { poster.join() }
      for task in tasks {
        await #expect(throws: LoopPort.PostError.closed) { try await task.value }
      }
      #expect(ledger.ran == ledger.accepted, "round \(round)")
      #expect(ledger.twice + ledger.outOfOrder == 0, "round \(round)")
      guard ledger.ran == ledger.accepted else { break }
    }
  }
}
