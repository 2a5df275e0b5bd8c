private import CLoopbench
import LoopTransactions

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
    details: """
      One thread hands functions to a pool that runs at most 4 at once, and the last to end stops the
      clock: a throughput as ns per operation, not the latency of one. For that, see `priority`.

        adds      add 1  add 2  …  add n
        workers      run 1  run 2  …  run n
        empty     ├───────────────────────┤  divided by n

        workers   (each kept by an operation that waits)
        adds      add 1 … add n │ cancel 1 … cancel n
        cancel                  ├───────────────────┤  divided by n

        loop          open, add, commit 1 … n │ completion 1 … completion n
        workers           run 1  run 2  …  run n
        transactions  ├─────────────────────────────────────────────────┤  divided by n

      No thread is placed on a CPU: how a pool spreads is part of what it does. `dispatch` and `task`
      have the width of their system, as many threads as CPUs. Every operation of `empty` counts
      down one number, which all peers share the cost of. Where peers have no loop, a completion goes
      to a serial queue. Wakes of the loop are counted over all bursts, warm-up included.
      """,
    isStandard: false
  )
}

/// `pool` of whatever runs functions on several threads.
struct PoolPeer<Runner: FunctionPool>: RunnerPeer {
  let scenario = "pool"

  var series: [String] { Runner.poolSeries }

  func measure(_ slice: inout Slice) throws(PeerFailure) {
    switch slice.series {
    case "empty": try measureEmpty(&slice)
    case "cancel": try measureCancel(&slice)
    default: try Runner.measureTransactions(&slice)
    }
  }

  private func measureEmpty(_ slice: inout Slice) throws(PeerFailure) {
    let latch = try BurstLatch()
    try Runner.open().closing { (pool) throws(PeerFailure) in
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
    try Runner.open().closing { (pool) throws(PeerFailure) in
      try slice.sample { (operations) throws(PeerFailure) in try pool.cancel(operations) }
    }
  }
}
