import Dispatch
import LoopTransactions
import TestSupport
import Testing

@Suite("Stress: hosting", .serialized)
struct HostingStressTests {
  // Bounds the memory while the host gets no CPU: an unbounded run used 24 GB.
  private static let mostPosts = 20_000

  @Test("a post that races the end of its host runs once or is refused")  // C8, L2, L11
  func shutsDown() throws {
    for round in 0..<Workload.count(1_000) {
      let (loop, queue, ledger) = (try EventLoop(), QueueHost(), Ledger())
      let (port, begun) = (loop.port, Gate())
      _ = try ExecutorHost(loop, on: queue.executor(hasLater: round.isMultiple(of: 2)))
      queue.runWaiting()
      let posters = (0..<2).map { _ in
        TestThread {
          let sequence = Sequence(ledger)
          var number = 0
          while number < Self.mostPosts {
            let next = number
            let isIn = ledger.hand { () throws(LoopPort.PostError) in
              try port.post { sequence.run(next) }
            }
            if !isIn { return }
            number += 1
            if number == 10 { begun.open() }
          }
        }
      }
      begun.wait()
      for _ in 0..<round % 4 { queue.step() }
      queue.shutDown()
      if round.isMultiple(of: 3) { queue.dropAll() } else { queue.runWaiting() }
      for poster in posters { poster.join() }
      try loop.close()
      #expect(ledger.ran == ledger.accepted, "round \(round)")
      #expect(ledger.twice + ledger.outOfOrder == 0, "round \(round)")
      guard ledger.ran == ledger.accepted else { break }
    }
  }

  @Test("hosts on a queue that are made and closed under load perform everything accepted")
  func makesAndCloses() async throws {  // C8, L2, L11
    let queue = DispatchQueue(label: "stress")
    let execute: HostExecutor.Execute = { work in
      queue.async(execute: work)
      return true
    }
    let executor = HostExecutor(execute: execute, executeLater: execute, keepsThread: false)
    for round in 0..<Workload.count(1_000) {
      let ledger = Ledger()
      let hosts = [
        try await ExecutorHost.make(on: executor),
        try await ExecutorHost.make(on: executor),
      ]
      let posters = hosts.map { host in
        let port = host.port
        return TestThread {
          let sequence = Sequence(ledger)
          var number = 0
          while number < Self.mostPosts {
            let next = number
            let isIn = ledger.hand { () throws(LoopPort.PostError) in
              try port.post { sequence.run(next) }
            }
            if !isIn { return }
            number += 1
          }
        }
      }
      async let first: Void = hosts[0].close()
      try await hosts[1].close()
      try await first
      for poster in posters { poster.join() }
      #expect(ledger.ran == ledger.accepted, "round \(round)")
      #expect(ledger.twice + ledger.outOfOrder == 0, "round \(round)")
      guard ledger.ran == ledger.accepted else { break }
    }
  }

  @Test("hosts that come and go on several threads share the waiter")  // C8
  func comesAndGoes() throws {
    let fired = Tally()
    let rounds = Workload.count(500)
    let threads = (0..<4).map { _ in
      TestThread {
        for _ in 0..<rounds {
          do {
            let (loop, queue, own) = (try EventLoop(), QueueHost(), Tally())
            let host = try ExecutorHost(loop, on: queue.executor())
            let due = loop.now.advanced(by: .microseconds(50))
            try loop.addPreciseTimer(at: due) { _ in own.increment() }
            if queue.run(until: { own.value == 1 }) { fired.increment() }
            host.cancel()
            try loop.close()
          } catch {
            Issue.record(error)
          }
        }
      }
    }
    for thread in threads { thread.join() }
    #expect(fired.value == 4 * rounds)
  }
}
