/// The scenarios and peers that a run can choose from.
///
/// Another package adds its own to the standard ones:
///
/// ```swift
/// let registry = Registry(
///   scenarios: Registry.standard.scenarios,
///   peers: Registry.standard.peers + [MyLoopWake()]
/// )
/// ```
public struct Registry: Sendable {
  /// In the order they are shown in.
  public let scenarios: [Scenario]
  /// In the order they are shown in.
  public let peers: [any Peer]
  /// Scenarios that have a name and can not be measured yet.
  public let planned: [PlannedScenario]

  /// Makes a registry.
  public init(scenarios: [Scenario], peers: [any Peer], planned: [PlannedScenario] = []) {
    self.scenarios = scenarios
    self.peers = peers
    self.planned = planned
  }

  /// The peers of one scenario.
  public func peers(of scenario: Scenario) -> [any Peer] {
    peers.filter { $0.scenario == scenario.name }
  }

  /// Every peer's name, once.
  public var peerNames: [String] {
    var seen: Set<String> = []
    return peers.map(\.name).filter { seen.insert($0).inserted }
  }
}
