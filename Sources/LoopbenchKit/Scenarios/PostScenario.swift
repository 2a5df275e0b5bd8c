private import CLoopbench

extension Scenario {
  /// Handing a function to the loop, from another thread or from its own.
  ///
  /// `uv` hands over the same node in every series, which stands for a closure in
  /// C: `typed` and `commit` are compared with that too. A commit that coalesces
  /// is done when the loop takes it.
  package static let post = Scenario(
    name: "post",
    summary: "hand the loop something to run; a sample is a burst's mean, first post to last run",
    series: PostLoad.items.map(across) + PostLoad.items.map(toSelf),
    details: """
      Hands the loop something to run. `.across` posts from a thread on another CPU to a loop that
      sleeps; `.self` posts from the loop's own thread, for the same tick. A sample is a whole burst,
      so it is a throughput as ns per item, not the latency of one item: for that, see `wake`.

        producer   post 1  post 2  …  post n
        loop       (asleep)     run 1  run 2  …  run n
                   ├────────────────────────────────┤  divided by n
      """
  )

  private static func across(_ name: String, _ plural: String) -> Series {
    Series(
      name: "\(name).across",
      summary: "100000 \(plural) from a thread on another CPU: ns per item",
      effort: Effort(warmUps: 1, samples: 3, operations: 100_000),
      placement: .across
    )
  }

  private static func toSelf(_ name: String, _ plural: String) -> Series {
    Series(
      name: "\(name).self",
      summary: "1000 \(plural) from the loop's thread, run in the same tick: ns per item",
      effort: Effort(warmUps: 10, samples: 50, operations: 1000)
    )
  }
}

/// What the series of `post` hand over.
package enum PostLoad {
  fileprivate static let items = [
    (name: "typed", plural: "functions with a context"),
    (name: "closure", plural: "closures"),
    (name: "commit", plural: "commits of 1000 targets"),
  ]

  /// All of them, from another thread and from the loop's own.
  package static let series =
    items.map { $0.name + ".across" } + items.map { $0.name + ".self" }
}

/// A burst of items from a producer's thread to the loop's, timed end to end.
///
/// The same for every peer: the producer starts when the loop has been asleep
/// for a while, and the clock stops when the last item has run.
package enum PostBurst {
  /// Long enough for the loop to reach its poll and fall asleep.
  private static let headStart: UInt64 = 200_000

  /// - Parameters:
  ///   - produce: Posts the items; on the producer's thread.
  ///   - runLoop: Runs the loop until `finish` stops it; on the caller's thread.
  /// - Returns: ns from before the first post until the last item had run.
  package static func nanoseconds(
    producerCPU: Int?,
    finish: FinishLine,
    produce: @escaping @Sendable () -> Void,
    runLoop: () -> Void
  ) throws(PeerFailure) -> UInt64 {
    let began = JoinResult<UInt64>()
    let producer = try PlacedThread(cpu: producerCPU) {
      cl_spin_until(cl_now() + headStart)
      began.value = cl_now()
      produce()
    }
    runLoop()
    producer.join()
    // Without a start nothing was posted, and nothing ran.
    return try finish.nanoseconds(since: began.value ?? .max)
  }
}

extension Slice {
  /// Measures bursts of `steps` items that `produce` posts from another thread.
  mutating func sampleBursts(
    of steps: Int,
    to finish: FinishLine,
    produce: @escaping @Sendable () -> Void,
    runLoop: () -> Void
  ) throws(PeerFailure) {
    let cpu = seats.producer
    try sample { (_) throws(PeerFailure) in
      finish.reset(target: steps)
      return try PostBurst.nanoseconds(
        producerCPU: cpu,
        finish: finish,
        produce: produce,
        runLoop: runLoop
      )
    }
  }
}
