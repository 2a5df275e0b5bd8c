import LoopTransactions

/// The scenarios and peers that a run can choose from.
///
/// Another package can add its own peers to the standard registry:
///
/// ```swift
/// let registry = Registry(
///   scenarios: Registry.standard.scenarios,
///   peers: Registry.standard.peers + [MyLoopWake()]
/// )
/// ```
public struct Registry: Sendable {
  /// The scenarios, in display order.
  public let scenarios: [Scenario]
  /// The peers, in display order.
  public let peers: [any Peer]

  /// Makes a registry.
  public init(scenarios: [Scenario], peers: [any Peer]) {
    self.scenarios = scenarios
    self.peers = peers
  }

  /// The peers of one scenario.
  public func peers(of scenario: Scenario) -> [any Peer] {
    peers.filter { $0.scenario == scenario.name }
  }

  /// The names of all peers, without duplicates.
  public var peerNames: [String] {
    peers.map(\.name).uniqued()
  }
}

extension Registry {
  /// Returns a registry in which each peer takes about `samples` samples in
  /// each series over `rounds` rounds.
  ///
  /// - Precondition: `samples` and `rounds` are at least 1.
  package func taking(samples: Int, in rounds: Int) -> Registry {
    require(
      samples > 0 && rounds > 0,
      "Registry: samples and rounds must be at least 1, got \(samples) and \(rounds)"
    )
    var scenarios = scenarios
    for scenario in scenarios.indices {
      for series in scenarios[scenario].series.indices {
        scenarios[scenario].series[series].workload.samples = (samples + rounds - 1) / rounds
      }
    }
    return Registry(scenarios: scenarios, peers: peers)
  }
}
