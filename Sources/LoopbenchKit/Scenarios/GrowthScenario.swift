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
      placement: kind.isOnOneCPU ? .loop : .anywhere
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
    var isOnOneCPU = true
    /// The number of operations of a sample, for a number of items.
    var operations: @Sendable (Int) -> Int = { $0 }

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
    Kind(
      name: "targets",
      summary: "committed and performed in a tick",
      item: "commit",
      sizes: burst
    ),
    Kind(name: "posts", summary: "closures posted and run in a tick", item: "post", sizes: burst),
    Kind(name: "queue", summary: "queued and delivered in a tick", item: "object", sizes: burst),
    Kind(
      name: "timers",
      summary: "armed and cancelled beside them",
      item: "pair",
      sizes: burst,
      operations: timers
    ),
    Kind(
      name: "precise",
      summary: "armed beside them",
      item: "timer",
      sizes: burst,
      operations: timers
    ),
    Kind(
      name: "observers",
      summary: "called in an idle tick",
      item: "observer",
      sizes: [1, 10, 100, 1000],
      // 10,000 calls, but at least 100 ticks.
      operations: { $0 * max(100, 10_000 / $0) }
    ),
    Kind(
      name: "loops",
      summary: "a post to each while it sleeps",
      item: "loop",
      sizes: [1, 4, 16, 64],
      isOnOneCPU: false
    ),
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
    let latch = try CountDownLatch()
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
