import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

/// Posts to itself until `isOver`, with a mark, a commit and an operation.
private func work(
  _ port: LoopPort,
  _ target: Target,
  _ rounds: Tally,
  until isOver: Locked<Bool>
) {
  rounds.increment()
  LoopTrace.mark("round")
  EventLoop.current?.commit(target, Target.action)
  OperationScheduler.shared.add { _ in }
  if isOver.withLock({ $0 }) { return }
  try? port.post { work(port, target, rounds, until: isOver) }
}

private final class Target: Sendable {
  static let action = Selector<Target>("action") { _ in }
}

@Suite("Stress: traces", .serialized)
struct TraceStressTests {
  @Test("traces of 8 threads that start, stop and are read at any time are valid")  // X3
  func readers() async {
    await #expect(processExitsWith: .success) {
      let (isOver, rounds) = (Locked(false), Tally())
      let loops = try (0..<4).map { try LoopThread(name: "loop \($0)") }
      for loop in loops {
        let port = loop.port
        try port.post { work(port, Target(), rounds, until: isOver) }
      }
      let ports = loops.map(\.port)
      let posters = (0..<4).map { number in
        TestThread {
          while !isOver.withLock({ $0 }) {
            LoopTrace.mark("poster")
            try? ports[number].postAndWait {}
          }
        }
      }
      var (faults, marks, arrows): ([String], Int, Int) = ([], 0, 0)
      func read(_ trace: LoopTrace) throws {
        let file = try TraceFile(trace.json)
        if let fault = file.fault { faults.append(fault) }
        marks += file.marks.count
        arrows += file.arrows.count
      }
      func awaitRounds() {
        let begun = rounds.value
        // 40: at least one loop makes ten rounds.
        #expect(inTime { rounds.value >= begun + 40 })
      }
      // Small, so that the rings are overwritten all the time.
      for _ in 0..<Workload.count(20) {
        let trace = try LoopTrace(eventsPerThread: 256)
        // Otherwise a busy machine may run no loop before the last trace has ended.
        awaitRounds()
        for _ in 0..<4 { try read(trace) }
        trace.stop()
      }
      // The rings are not overwritten after the last round, so this trace has events.
      let last = try LoopTrace(eventsPerThread: 256)
      awaitRounds()
      isOver.withLock { $0 = true }
      for poster in posters { poster.join() }
      for port in ports { try port.postAndWait {} }
      try read(last)
      last.stop()
      for loop in loops {
        loop.stop()
        try loop.join()
      }
      #expect(faults == [])
      #expect(marks > 0)
      #expect(arrows > 0)
    }
  }
}
