private import CLoopbench

extension Scenario {
  /// Handing operations to workers.
  package static let pool = Scenario(
    name: "pool",
    summary: "hand operations to 4 workers; a sample is a burst's mean",
    series: [
      Series(
        name: "empty",
        summary: "100000 that do nothing, from one thread: ns per operation, first add to last end",
        effort: Effort(warmUps: 1, samples: 1, operations: 100_000),
        placement: .anywhere
      ),
      Series(
        name: "cancel",
        summary: "100000 that wait, cancelled in the order they were added: ns per operation",
        effort: Effort(warmUps: 0, samples: 1, operations: 100_000),
        placement: .anywhere
      ),
      Series(
        name: "transactions",
        summary: "1000, each of an empty operation and its completion on a loop: ns for each",
        effort: Effort(warmUps: 2, samples: 10, operations: 1000),
        placement: .anywhere
      ),
    ],
    references: ["uvwork", "dispatch", "opqueue", "ring"],
    details: ScenarioDetails.pool,
    isStandard: false
  )
}

/// `pool` of whatever runs functions on several threads.
struct PoolPeer<Pool: FunctionPool>: Peer {
  let scenario = "pool"

  var name: String { Pool.name }
  var series: [String] { Pool.poolSeries }
  var summary: String { Pool.summary }
  var isReference: Bool { Pool.isReference }
  var unavailability: String? { Pool.unavailability }

  func measure(_ slice: inout Slice) throws(PeerFailure) {
    guard series.contains(slice.series) else { throw slice.unknownSeries }
    switch slice.series {
    case "empty": try measureEmpty(&slice)
    case "cancel": try measureCancel(&slice)
    default: try Pool.measureTransactions(&slice)
    }
  }

  private func measureEmpty(_ slice: inout Slice) throws(PeerFailure) {
    let latch = try BurstLatch()
    try Pool.using { (pool) throws(PeerFailure) in
      slice.sample { operations in
        latch.reset(count: operations)
        let address = latch.address
        let began = cl_now()
        for _ in 0..<operations { pool.add(BurstLatch.step, context: address, .normal) }
        pool.settle()
        return latch.nanoseconds(since: began)
      }
    }
    // The pool is closed: no step is under way that could touch it.
    withExtendedLifetime(latch) {}
  }

  private func measureCancel(_ slice: inout Slice) throws(PeerFailure) {
    try Pool.using { (pool) throws(PeerFailure) in
      try slice.sample { (operations) throws(PeerFailure) in try pool.cancel(operations) }
    }
  }
}
