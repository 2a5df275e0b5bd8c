private import CLoopbench
import LoopTransactions

extension Scenario {
  /// Running operations on workers.
  package static let pool = Scenario(
    name: "pool",
    summary: "add operations to 4 workers; a sample is a burst's mean",
    series: [
      Series(
        name: "empty",
        summary: "one thread adds 100000 empty operations: ns per operation, first add to last end",
        workload: Workload(warmUps: 1, samples: 1, operations: 100_000),
        placement: .anywhere
      ),
      Series(
        name: "cancel",
        summary: "100000 waiting operations, cancelled in FIFO order: ns per operation",
        workload: Workload(warmUps: 0, samples: 1, operations: 100_000),
        placement: .anywhere
      ),
      Series(
        name: "transactions",
        summary: "1000 empty operations, each with a completion on a loop: ns per operation",
        workload: Workload(warmUps: 2, samples: 10, operations: 1000),
        placement: .anywhere
      ),
      Series(
        name: "apply",
        summary: "1000 empty calls that the caller shares with the workers: ns per call",
        workload: Workload(warmUps: 10, samples: 100, operations: 1000),
        placement: .anywhere
      ),
    ],
    references: ["uvwork", "dispatch", "opqueue", "hand"],
    floors: ["hand"],
    details: """
      One thread adds functions to a pool that runs at most 4 at once. The last one to end stops the
      clock. The result is a throughput, in ns per operation. For the latency of one, see `priority`.

        adds      add 1  add 2  …  add n
        workers      run 1  run 2  …  run n
        empty     ├───────────────────────┤  divided by n

        workers   (each occupied by an operation that waits)
        adds      add 1 … add n │ cancel 1 … cancel n
        cancel                  ├───────────────────┤  divided by n

        loop          open, add, commit 1 … n │ completion 1 … completion n
        workers           run 1  run 2  …  run n
        transactions  ├─────────────────────────────────────────────────┤  divided by n

        caller        asks for n calls │ makes calls │ returns
        workers                           make calls
        apply         ├──────────────────────────────┤  divided by n

      No thread is placed on a CPU, because distributing threads is part of a pool's work. `dispatch`
      and `task` use as many threads as there are CPUs. Every operation of `empty` decrements one
      shared counter, in every peer. A peer without a loop runs completions on a serial queue. Wakes
      of the loop are counted over all bursts, including the warm-up.
      """,
    isStandard: false
  )
}

/// `pool` with any ``FunctionPool``.
public struct PoolPeer<Runner: FunctionPool>: RunnerPeer {
  /// `pool`.
  public let scenario = "pool"

  /// The series that the pool can measure.
  public var series: [String] { Runner.poolSeries }

  /// Makes the peer.
  public init() {}

  /// Measures the pool.
  public func measure(_ slice: inout Slice) throws(PeerError) {
    switch slice.series {
    case "empty": try measureEmpty(&slice)
    case "cancel": try measureCancel(&slice)
    case "apply": try measureApply(&slice)
    default: try Runner.measureTransactions(&slice)
    }
  }

  private func measureEmpty(_ slice: inout Slice) throws(PeerError) {
    let latch = CountDownLatch()
    try Runner.open().closing { (pool) throws(PeerError) in
      slice.sample { operations in
        latch.reset(count: operations)
        let step = PostedCall(function: CountDownLatch.step, context: latch.address)
        let began = cl_now()
        for _ in 0..<operations { pool.add(step, .normal) }
        pool.settle()
        return latch.nanoseconds(since: began)
      }
    }
    // The pool has been closed, so no step uses the latch any longer.
    withExtendedLifetime(latch) {}
  }

  private func measureCancel(_ slice: inout Slice) throws(PeerError) {
    try Runner.open().closing { (pool) throws(PeerError) in
      try slice.sample { (operations) throws(PeerError) in try pool.cancel(operations) }
    }
  }

  private func measureApply(_ slice: inout Slice) throws(PeerError) {
    let empty = PostedCall(function: { _ in }, context: nil)
    try Runner.open().closing { (pool) throws(PeerError) in
      try slice.sample { (calls) throws(PeerError) in
        let began = cl_now()
        try pool.apply(calls, empty)
        return cl_now() - began
      }
    }
  }
}
