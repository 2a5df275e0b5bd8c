import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

/// Reads latencies `count` times, and returns a description of the first one that
/// contradicts itself or an earlier one.
private func firstFault(of port: LoopPort, in count: Int) -> String? {
  var last: UInt64 = 0
  for _ in 0..<count {
    guard let latencies = port.latencies else { continue }
    let busy = latencies.busy
    if busy.count < last { return "\(busy.count) after \(last)" }
    last = busy.count
    for histogram in [busy, latencies.wakeLateness, latencies.pollToCallback] {
      let median = histogram.value(atPercentile: 50)
      let isOrdered = histogram.min <= median && median <= histogram.max
      let isComplete = histogram.count(atMost: histogram.max) == histogram.count
      if !isOrdered || !isComplete { return "\(histogram), min: \(histogram.min)" }
    }
  }
  return nil
}

/// Makes ticks until `isOver`, and starts or stops recording every 100 ticks.
/// Opens `hasRecorded` when ticks were recorded.
private func record(
  _ port: LoopPort,
  _ round: Int,
  until isOver: Locked<Bool>,
  _ hasRecorded: Gate
) {
  if round == 50 { hasRecorded.open() }
  if round.isMultiple(of: 100) { EventLoop.current?.recordsLatencies.toggle() }
  if isOver.withLock({ $0 }) { return }
  try? port.post { record(port, round + 1, until: isOver, hasRecorded) }
}

@Suite("Stress: latencies", .serialized)
struct LatencyStressTests {
  @Test("latencies read while the loop records, and starts and stops, never contradict")  // X2
  func readers() throws {
    let thread = try LoopThread(name: "recorder")
    let (port, isOver, fault) = (thread.port, Locked(false), Locked<String?>(nil))
    let hasRecorded = Gate()
    try port.post { record(port, 0, until: isOver, hasRecorded) }
    #expect(hasRecorded.waitInTime())
    let readers = (0..<2).map { _ in
      TestThread {
        let found = firstFault(of: port, in: Workload.count(2_000))
        if let found { fault.withLock { $0 = found } }
      }
    }
    for reader in readers { reader.join() }
    isOver.withLock { $0 = true }
    thread.stop()
    try thread.join()
    #expect(fault.withLock { $0 } == nil)
    #expect(try #require(port.latencies).busy.count > 0)
  }
}
