private import CLoopbench

extension Scenario {
  /// Posting a function to the loop, from another thread or from the loop's own
  /// thread.
  ///
  /// In every series `uv` posts the same kind of node, which is C's equivalent of a
  /// closure. The peers of `typed` and `commit` are also compared with it. A
  /// coalesced commit counts as run when the loop takes it.
  package static let post = Scenario(
    name: "post",
    summary: "post functions to the loop; a sample is a burst's mean, first post to last run",
    series: PostLoad.items.map(across) + PostLoad.items.map(toSelf),
    floors: ["cond"],
    details: """
      `.across` posts from a thread on another CPU to a sleeping loop. `.self` posts from the loop's own
      thread, to be run in the same tick. A sample is a whole burst, so the result is a throughput, in
      ns per item. For the latency of one item, see `wake`.

        producer   post 1  post 2  …  post n
        loop       (asleep)     run 1  run 2  …  run n
                   ├────────────────────────────────┤  divided by n
      """
  )

  private static func across(_ name: String, _ plural: String) -> Series {
    Series(
      name: "\(name).across",
      summary: "100000 \(plural) from a thread on another CPU: ns per item",
      workload: Workload(warmUps: 1, samples: 3, operations: 100_000),
      placement: .across
    )
  }

  private static func toSelf(_ name: String, _ plural: String) -> Series {
    Series(
      name: "\(name).self",
      summary: "1000 \(plural) from the loop's thread, run in the same tick: ns per item",
      workload: Workload(warmUps: 10, samples: 50, operations: 1000)
    )
  }
}

/// The items that the series of `post` post.
package enum PostLoad {
  fileprivate static let items = [
    (name: "typed", plural: "functions with a context"),
    (name: "closure", plural: "closures"),
    (name: "commit", plural: "commits of 1000 targets"),
  ]

  /// The series of all items: first the series that post from another thread, then
  /// those that post from the loop's thread.
  package static let series =
    items.map { $0.name + ".across" } + items.map { $0.name + ".self" }
}

/// A burst of items that a producer's thread posts to the loop, timed end to end.
///
/// The producer starts to post after the loop has fallen asleep. The clock stops
/// when the last item has run.
package enum PostBurst {
  /// The time in ns that the loop gets to reach its poll and fall asleep.
  private static let headStart: UInt64 = 200_000

  /// Measures one burst.
  ///
  /// - Parameters:
  ///   - produce: Posts the items. Called on the producer's thread.
  ///   - runLoop: Runs the loop until `finish` stops it. Called on the caller's
  ///     thread.
  /// - Returns: The time from before the first post until the last item had run, in
  ///   ns.
  package static func nanoseconds(
    producerCPU: Int?,
    finish: CompletionCounter,
    produce: @escaping @Sendable () -> Void,
    runLoop: () -> Void
  ) throws(PeerError) -> UInt64 {
    let began = JoinResult<UInt64>()
    let producer = try PlacedThread(cpu: producerCPU) {
      cl_spin_until(cl_now() + headStart)
      began.value = cl_now()
      produce()
    }
    runLoop()
    producer.join()
    // If there is no start time, no item was posted or run.
    return try finish.nanoseconds(since: began.value ?? .max)
  }
}

extension Slice {
  /// Samples bursts that `produce` posts from another thread. Each burst makes
  /// `steps` steps to `finish`.
  mutating func sampleBursts(
    of steps: Int,
    to finish: CompletionCounter,
    produce: @escaping @Sendable () -> Void,
    runLoop: () -> Void
  ) throws(PeerError) {
    let cpu = seats.producer
    try sample { (_) throws(PeerError) in
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
