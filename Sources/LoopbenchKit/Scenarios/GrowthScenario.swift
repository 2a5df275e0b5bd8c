private import CLoopbench
import LoopTransactions

extension Scenario {
  /// The cost of one item, by the number of items.
  package static let growth = Scenario(
    name: "growth",
    summary: "the cost of one item by the number of items; a sample is a batch's mean",
    series: GrowthLoad.kinds.flatMap { kind in kind.sizes.map { series(kind, $0) } },
    references: ["uv", "heap", "hand"],
    floors: ["hand"],
    details: """
      Each series ends with the number of items, for which its cost is measured.

        posts.100   post 1 … post 100 │ tick: run 1 … run 100
                    ├─────────────────┴─────────────────────┤  divided by 100

        targets    committed and performed in one tick (`commit first`)
        posts      closures from the loop's thread, run in the same tick (`post closure.self`)
        queue      objects queued on the loop's thread, delivered in one tick (`drain whole`)
        timers     pending while a timer is armed and cancelled (`timer pending`)
        precise    the same with precise timers, which are only armed (`timer precise`)
        observers  that are called in each tick without other work: ns per observer
        loops      threads with a loop of their own, each of which gets a post while it
                   sleeps: ns per loop, from the first post to the end of the last

      `loopbench plot --kind growth` draws a curve for each of them.
      """,
    isStandard: false
  )

  private static func series(_ kind: GrowthLoad.Kind, _ count: Int) -> Series {
    Series(
      name: Size.name(kind.name, count),
      summary: "\(kind.summary): ns per \(kind.item)",
      workload: kind.workload(count),
      // Only these have threads of their own.
      placement: kind.name == "loops" ? .anywhere : .loop
    )
  }
}

/// The sizes that `growth` measures.
enum GrowthLoad {
  /// A kind of item.
  struct Kind {
    let name: String
    let summary: String
    let item: String
    let sizes: [Int]
    /// The number of operations of a sample, for a number of items.
    let operations: @Sendable (Int) -> Int

    init(
      _ name: String,
      _ summary: String,
      per item: String,
      sizes: [Int],
      _ operations: @escaping @Sendable (Int) -> Int = { $0 }
    ) {
      (self.name, self.summary, self.item) = (name, summary, item)
      (self.sizes, self.operations) = (sizes, operations)
    }

    /// Large samples are few, so that each size takes about the same time.
    func workload(_ count: Int) -> Workload {
      let operations = operations(count)
      return Workload(
        warmUps: 2,
        samples: min(50, max(3, 200_000 / max(count, operations))),
        operations: operations
      )
    }
  }

  private static let burst = [100, 1000, 10_000, 100_000]

  /// As many as there are timers, so that each of their delays is used once.
  private static let timers: @Sendable (Int) -> Int = { min($0, 1000) }

  static let kinds = [
    Kind("targets", "committed and performed in a tick", per: "commit", sizes: burst),
    Kind("posts", "closures posted and run in a tick", per: "post", sizes: burst),
    Kind("queue", "queued and delivered in a tick", per: "object", sizes: burst),
    Kind("timers", "armed and cancelled beside them", per: "pair", sizes: burst, timers),
    Kind("precise", "armed beside them", per: "timer", sizes: burst, timers),
    // 10,000 calls, but at least 100 ticks.
    Kind("observers", "called in an idle tick", per: "observer", sizes: [1, 10, 100, 1000]) {
      $0 * max(100, 10_000 / $0)
    },
    Kind("loops", "a post to each while it sleeps", per: "loop", sizes: [1, 4, 16, 64]),
  ]

  static func series(_ kinds: Set<String>) -> [String] {
    Self.kinds.filter { kinds.contains($0.name) }.flatMap { kind in
      kind.sizes.map { Size.name(kind.name, $0) }
    }
  }
}

/// `growth` by the peers of other scenarios, and by peers of its own.
struct GrowthPeer: Peer {
  let name: String
  let scenario = "growth"
  let isReference: Bool
  let summary: String
  fileprivate let parts: [String: Part]
  var unavailability: String?

  var series: [String] { GrowthLoad.series(Set(parts.keys)) }

  /// How the peer measures a kind of item.
  fileprivate enum Part {
    /// As another peer measures a series. The size follows its name if it ends with a dot.
    case other(any Peer, String)
    /// By a function of its own.
    case own(@Sendable (_ count: Int, _ slice: inout Slice) throws(PeerError) -> Void)
  }

  static let lt = GrowthPeer(
    name: "lt",
    isReference: false,
    summary: "lt of commit, post, drain and timer; addObserver, LoopThread",
    parts: [
      "targets": .other(LTCommit(), "first"),
      "posts": .other(LTPost(), "closure.self"),
      "queue": .other(LTDrain(), "whole"),
      "timers": .other(LTTimer(), "pending."),
      "precise": .other(LTTimer(), "precise."),
      "observers": .own(GrowingObservers.measure),
      "loops": .own(GrowingLoops.measure),
    ]
  )

  static let uv = GrowthPeer(
    name: "uv",
    isReference: true,
    summary: "uv of commit, post, drain and timer",
    parts: [
      "targets": .other(UVCommit(), "first"),
      "posts": .other(QueuePost<UVQueue>(), "closure.self"),
      "queue": .other(UVDrain(), "whole"),
      "timers": .other(UVTimer(), "pending."),
    ]
  )

  static let heap = GrowthPeer(
    name: "heap",
    isReference: true,
    summary: "heap of timer",
    parts: ["precise": .other(HeapTimer(), "precise.")],
    unavailability: HeapTimer().unavailability
  )

  static let hand = GrowthPeer(
    name: "hand",
    isReference: true,
    summary: "hand of commit",
    parts: ["targets": .other(HandCommit(), "first")]
  )

  func measure(_ slice: inout Slice) throws(PeerError) {
    guard let size = Size(of: slice.series), let part = parts[size.kind] else {
      throw slice.unknownSeries
    }
    switch part {
    case .own(let measure): try measure(size.count, &slice)
    case .other(let peer, let series):
      let isSized = series.hasSuffix(".")
      try slice.record(peer, in: isSized ? series + Size.text(size.count) : series)
    }
  }
}

/// Observers of a loop whose ticks have no other work.
private enum GrowingObservers {
  static func measure(_ count: Int, _ slice: inout Slice) throws(PeerError) {
    try EventLoop.measuring { (loop) throws(PeerError) in
      let observers = (0..<count).map { _ in loop.addObserver(for: .beforeWaiting) { _ in } }
      let finish = CompletionCounter(stop: EventLoop.stopFunction, context: loop.address)
      try slice.sampleTicks(of: loop.libuvLoop, each: count, to: finish) { loop.run() }
      for observer in observers { observer.cancel() }
      // The idle handle was closed. A tick frees it.
      loop.run(.noWait)
    }
  }
}

/// Threads with loops, each of which gets a post at once.
private enum GrowingLoops {
  static func measure(_ count: Int, _ slice: inout Slice) throws(PeerError) {
    let latch = CountDownLatch()
    do {
      let threads = try (0..<count).map { try LoopThread(name: "loop \($0)") }
      let address = UnsafeTransfer(latch.address)
      try slice.sample { (_) throws(LoopPort.PostError) in
        latch.reset(count: count)
        let began = cl_now()
        for thread in threads {
          try thread.port.post(CountDownLatch.step, context: address.value)
        }
        return latch.nanoseconds(since: began)
      }
      for thread in threads { thread.stop() }
      for thread in threads { try thread.join() }
    } catch {
      throw PeerError("\(error)")
    }
    // The threads have ended, so no step uses the latch any longer.
    withExtendedLifetime(latch) {}
  }
}
