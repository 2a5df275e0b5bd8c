private import CLoopbench
import LoopTransactions
private import Synchronization

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
    series: PostLoad.items.map(across) + PostLoad.items.map(toSelf)
      + PostLoad.items.prefix(2).flatMap { item in
        ClosureSeries.producerCounts.map { produced(item, by: $0) }
      } + [chain],
    floors: ["cond", "hand"],
    details: """
      `.across` posts from a thread on another CPU to a sleeping loop. `.self` posts from the loop's own
      thread, to be run in the same tick. A sample is a whole burst, so the result is a throughput, in
      ns per item. For the latency of one item, see `wake`.

        producer   post 1  post 2  …  post n
        loop       (asleep)     run 1  run 2  …  run n
                   ├────────────────────────────────┤  divided by n

      In `closure.across.4`, `.16` and `.64`, and in `typed` likewise, that many threads share the
      other CPU and each posts an equal part of the burst. In `closure.chain`, each closure posts the next one to its own loop:

        loop       post 1 │ run 1, post 2 │ run 2, post 3 │ …  run 1000
                   ├──────────────────────────────────────────────────┤  divided by 1000
      """
  )

  private static func produced(_ item: PostLoad.Item, by producers: Int) -> Series {
    Series(
      name: ClosureSeries.name(item.name, producers: producers),
      summary: "102400 \(item.plural) from \(producers) threads on another CPU: ns per item",
      // Divisible by each number of threads.
      workload: Workload(warmUps: 1, samples: 3, operations: 102_400),
      placement: .across,
      isStandard: false
    )
  }

  private static let chain = Series(
    name: ClosureSeries.chain,
    summary: "1000 closures from the loop's thread, each posted by the one before: ns per item",
    workload: Workload(warmUps: 10, samples: 50, operations: 1000),
    isStandard: false
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
  fileprivate typealias Item = (name: String, plural: String)

  fileprivate static let items: [Item] = [
    (name: "typed", plural: "functions with a context"),
    (name: "closure", plural: "closures"),
    (name: "commit", plural: "commits of 1000 targets"),
  ]

  /// The series of all items: first the series that post from another thread, then
  /// those that post from the loop's thread.
  package static let series =
    items.map { $0.name + ".across" } + items.map { $0.name + ".self" }
    + items.prefix(2).flatMap { item in
      ClosureSeries.producerCounts.map { ClosureSeries.name(item.name, producers: $0) }
    } + [ClosureSeries.chain]
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
  ///   - producers: The number of threads that post. They begin together.
  ///   - produce: Posts the items of a producer. Called on its thread.
  ///   - runLoop: Runs the loop until `finish` stops it. Called on the caller's
  ///     thread.
  /// - Returns: The time from before the first post until the last item had run, in
  ///   ns.
  package static func nanoseconds(
    producers: Int = 1,
    producerCPU: Int?,
    finish: CompletionCounter,
    produce: @escaping @Sendable () -> Void,
    runLoop: () -> Void
  ) throws(PeerError) -> UInt64 {
    let start = ProducerStart(of: producers)
    let end = Gate()
    try run(producers, producerCPU, start, end, produce) {
      runLoop()
      end.pass()
    }
    // If there is no start time, no item was posted or run.
    return try finish.nanoseconds(since: start.began ?? .max)
  }

  /// Starts `count` producers, runs the loop and joins them.
  ///
  /// A producer ends after the burst. The end of a thread unmaps its stack, which
  /// interrupts the loop's CPU. With 64 producers that ended at once, a function took
  /// 68 ns instead of 14, and 169 instead of 110 with libuv.
  private static func run(
    _ count: Int,
    _ cpu: Int?,
    _ start: ProducerStart,
    _ end: Gate,
    _ produce: @escaping @Sendable () -> Void,
    _ runLoop: () -> Void
  ) throws(PeerError) {
    guard count > 0 else { return runLoop() }
    let producer: PlacedThread
    do throws(PeerError) {
      producer = try PlacedThread(cpu: cpu) {
        guard start.wait(headStart) else { return }
        produce()
        end.wait()
        end.pass()
      }
    } catch {
      start.giveUp()
      throw error
    }
    try producer.join { () throws(PeerError) in
      try run(count - 1, cpu, start, end, produce, runLoop)
    }
  }
}

/// Makes the producers of a burst begin together.
private final class ProducerStart: Sendable {
  private static let notBegun: UInt64 = 0
  private static let givenUp = UInt64.max

  private let missing: Atomic<Int>
  private let time = Atomic<UInt64>(ProducerStart.notBegun)

  init(of threads: Int) { missing = Atomic(threads) }

  /// The time at which the threads began; `nil` if they did not.
  var began: UInt64? {
    let began = time.load(ordering: .relaxed)
    return began == Self.notBegun || began == Self.givenUp ? nil : began
  }

  /// Waits for all threads. The last of them spins for `pause` ns and notes the time.
  ///
  /// - Returns: False if the threads must not begin.
  func wait(_ pause: UInt64) -> Bool {
    // Relaxed: the threads share nothing before they begin.
    if missing.wrappingSubtract(1, ordering: .relaxed).newValue == 0 {
      cl_spin_until(cl_now() + pause)
      time.store(cl_now(), ordering: .relaxed)
      return true
    }
    var began = Self.notBegun
    while began == Self.notBegun {
      cl_thread_yield()
      began = time.load(ordering: .relaxed)
    }
    return began != Self.givenUp
  }

  /// Makes the threads that wait return.
  func giveUp() { time.store(Self.givenUp, ordering: .relaxed) }
}

extension ProducerStart: Unreflected {}

extension Slice {
  /// Samples bursts that `produce` posts from other threads, once on each. Each burst
  /// makes `steps` steps to `finish`.
  mutating func sampleBursts(
    of steps: Int,
    from producers: Int = 1,
    to finish: CompletionCounter,
    produce: @escaping @Sendable () -> Void,
    runLoop: () -> Void
  ) throws(PeerError) {
    let cpu = seats.producer
    try sample { (_) throws(PeerError) in
      finish.reset(target: steps)
      return try PostBurst.nanoseconds(
        producers: producers,
        producerCPU: cpu,
        finish: finish,
        produce: produce,
        runLoop: runLoop
      )
    }
  }
}
