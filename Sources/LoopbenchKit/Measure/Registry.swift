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

extension Series {
  /// The series that replaces an open-loop series in a closed run.
  package static let closedName = "closed"
  package static let closedSends = "closed.sends"
  package static let closedTime = "closed.ns"

  package static func isClosed(_ name: String) -> Bool { name == closedName }

  fileprivate var closed: Series {
    Series(
      name: Self.closedName,
      summary: "two CPUs, closed loop, no pause: from before the send to the callback",
      workload: workload,
      placement: placement,
      kind: .service
    )
  }
}

extension Registry {
  /// Returns a registry in which each send of an open-loop series waits for the
  /// previous answer. Such a series measures throughput and hides the tail latency.
  package var closed: Registry {
    Registry(scenarios: scenarios.map(\.closed), peers: peers)
  }
}

extension Scenario {
  /// Returns the scenario with each open-loop series replaced by a closed series.
  var closed: Scenario {
    let open = series.filter { $0.kind == .intended && $0.companionOf == nil }.map(\.name)
    let kept = series.filter { !open.contains($0.companionOf ?? "") }
    var closed = self
    closed.series = kept.map { open.contains($0.name) ? $0.closed : $0 }
    return closed
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
