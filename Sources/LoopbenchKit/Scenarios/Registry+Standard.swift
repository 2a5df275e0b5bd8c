/// A peer that measures every series of its scenario in `Registry.standard`.
protocol FullPeer: Peer {}

extension FullPeer {
  var series: [String] {
    Registry.standard.scenarios.first { $0.name == scenario }?.series.map(\.name) ?? []
  }
}

extension Registry {
  /// The scenarios and peers of `loopbench`. To add a scenario or peer, add a type
  /// in `Scenarios/` or `Peers/`, and add it to this registry.
  public static let standard = Registry(
    scenarios: [
      .commit, .post, .wake, .drain, .timer, .idle, .pool, .priority, .hop, .io, .growth,
    ],
    peers: ofLoops + ofOperations
  )

  private static let ofLoops: [any Peer] = [
    UVCommit(), LTCommit(), LTKeptCommit(), SetCommit(), DirtyBitCommit(), HandCommit(),
    QueuePost<UVQueue>(), HandPost(), LTPost(),
    CWake.uv, LTWake(), CWake.eventfd,
    QueueWake<CondQueue>(), QueueWake<DispatchedQueue>(), QueueWake<RunLoopThread>(),
    QueueWake<ActorQueue>(),
    QueuePost<CondQueue>(), QueuePost<DispatchedQueue>(), QueuePost<ActorQueue>(),
    UVDrain(), LTDrain(), HandDrain(),
    UVTimer(), LTTimer(), HeapTimer(),
    UVIdle(), HandIdle(), LTIdle(), LTOwnIdle(),
  ]

  private static let ofOperations: [any Peer] = [
    PoolPeer<UVPool>(), PoolPeer<SchedulerPool>(), PoolPeer<DispatchPool>(),
    PoolPeer<OperationsPool>(), PoolPeer<TaskPool>(), HandTransactions(),
    PriorityPeer<SchedulerPool>(), PriorityPeer<DispatchPool>(), PriorityPeer<OperationsPool>(),
    PriorityPeer<TaskPool>(), PriorityPeer<HandPool>(),
    LoopHop.fromPool, LoopHop.preferred, MainActorHop(), ActorHop(),
    CIO.uv, LTIO(), CIO.epoll, DispatchIO(),
    GrowthPeer.uv, GrowthPeer.lt, GrowthPeer.heap, GrowthPeer.hand,
  ]
}
