public import LoopbenchKit

/// The registry of `loopbench-peers`.
public enum PeersRegistry {
  /// The scenarios and peers of `loopbench`, and the peers on other libraries.
  public static let registry = Registry(
    scenarios: Registry.standard.scenarios.map(comparing),
    peers: Registry.standard.peers + peers
  )

  /// The peers on other libraries.
  static let peers: [any Peer] = [
    SetPeer.unordered, SetPeer.flatHash,
    QueuePost<AsioLoop>(), QueuePost<LibeventLoop>(), QueuePost<LibevLoop>(),
    QueuePost<GLibLoop>(), QueuePost<StackLoop>(), QueuePost<TokioLoop>(),
    QueuePost<CrossbeamQueue>(),
    QueueWake<AsioLoop>(), QueueWake<LibeventLoop>(), QueueWake<LibevLoop>(),
    QueueWake<GLibLoop>(), QueueWake<StackLoop>(), QueueWake<TokioLoop>(),
    QueueWake<CrossbeamQueue>(),
    TimerPeer.asio, TimerPeer.libevent, TimerPeer.libev, TimerPeer.glib,
    IdlePeer.libevent, IdlePeer.libev, IdlePeer.glib,
    PoolPeer<TBBPool>(), PoolPeer<TBBGroupPool>(), PoolPeer<AsioPool>(), PoolPeer<TokioPool>(),
    PriorityPeer<TBBPool>(),
  ]

  /// Returns `scenario` with these peers among its references, so that a report has the
  /// ratio of each peer to them.
  private static func comparing(_ scenario: Scenario) -> Scenario {
    let own = peers.filter { $0.scenario == scenario.name }.map(\.name)
    return Scenario(
      name: scenario.name,
      summary: scenario.summary,
      series: scenario.series,
      references: scenario.references + own,
      floors: scenario.floors + (own.contains(CrossbeamQueue.name) ? [CrossbeamQueue.name] : []),
      extras: scenario.extras,
      details: scenario.details,
      isStandard: scenario.isStandard,
      figures: scenario.figures,
      preparationNs: scenario.preparationNs
    )
  }
}
