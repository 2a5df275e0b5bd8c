/// Which contenders a run measures, out of a registry.
public struct Selection: Sendable {
  /// Every chosen peer in every series it has, in the order of the registry.
  public private(set) var contenders: [Contender] = []
  /// What was asked for or would be there, and is not measured.
  public private(set) var warnings: [Report.Warning] = []

  /// Chooses contenders.
  ///
  /// - Parameters:
  ///   - scenarios: Names; empty means all.
  ///   - peers: Names; `nil` means all. With named scenarios, each must have
  ///     each peer; otherwise a scenario is measured with those it has.
  ///   - twins: Where the first peer is measured a second time: the reference, or
  ///     else the first of the registry.
  public init(
    from registry: Registry,
    scenarios: [String] = [],
    peers: [String]? = nil,
    placement: Placement,
    twins: TwinRule = .compared
  ) throws(SelectionError) {
    let chosen = try Self.scenarios(named: scenarios, in: registry)
    try Self.checkNames(of: peers ?? [], in: registry)
    for scenario in chosen {
      let found = registry.peers(of: scenario).filter { peers?.contains($0.name) ?? true }
      let missing = (peers ?? []).filter { name in !found.contains { $0.name == name } }
      if let name = missing.first, !scenarios.isEmpty {
        throw .peerNotInScenario(
          name: name,
          scenario: scenario.name,
          has: registry.peers(of: scenario).map(\.name)
        )
      }
      warnings += missing.map { .peerSkipped($0, in: scenario.name) }
      add(scenario, peers: found, placement: placement, twins: twins)
    }
  }
}

extension Selection {
  private static func scenarios(
    named names: [String],
    in registry: Registry
  ) throws(SelectionError) -> [Scenario] {
    let known = registry.scenarios.map(\.name)
    for name in names where !known.contains(name) {
      throw .unknownScenario(name: name, suggestion: Suggestion.nearest(to: name, in: known))
    }
    return registry.scenarios.filter { names.isEmpty || names.contains($0.name) }
  }

  private static func checkNames(
    of peers: [String],
    in registry: Registry
  ) throws(SelectionError) {
    let known = registry.peerNames
    for name in peers where !known.contains(name) {
      throw .unknownPeer(name: name, suggestion: Suggestion.nearest(to: name, in: known))
    }
  }

  private mutating func add(
    _ scenario: Scenario,
    peers: [any Peer],
    placement: Placement,
    twins: TwinRule
  ) {
    for series in scenario.series where series.companionOf == nil {
      switch placement.seats(for: series.placement) {
      case .success(let seats):
        let able = peers.filter { $0.series.contains(series.name) }
        let twin = twins.applies(toPeers: able.count) ? scenario.first(of: able) : nil
        contenders += able.map {
          Contender(scenario: scenario, series: series, peer: $0, seats: seats)
        }
        contenders += (twin.map { [$0] } ?? []).map {
          Contender(scenario: scenario, series: series, peer: $0, isTwin: true, seats: seats)
        }
      case .failure(let unavailable):
        warnings.append(
          .seriesUnavailable("\(scenario.name) \(series.name)", reason: unavailable.reason)
        )
      }
    }
  }
}

extension Scenario {
  /// The peer that stands for the machine's noise: the first reference there is.
  fileprivate func first(of peers: [any Peer]) -> (any Peer)? {
    let reference = references.lazy.compactMap { name in peers.first { $0.name == name } }.first
    return reference ?? peers.first
  }
}
