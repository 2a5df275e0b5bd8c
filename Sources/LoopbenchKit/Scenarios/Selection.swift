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
  public init(
    from registry: Registry,
    scenarios: [String] = [],
    peers: [String]? = nil,
    placement: Placement
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
      add(scenario, peers: found, placement: placement)
    }
  }
}

extension Selection {
  private static func scenarios(
    named names: [String],
    in registry: Registry
  ) throws(SelectionError) -> [Scenario] {
    let known = registry.scenarios.map(\.name)
    for planned in registry.planned where names.contains(planned.name) { throw .notBuilt(planned) }
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

  private mutating func add(_ scenario: Scenario, peers: [any Peer], placement: Placement) {
    for series in scenario.series where series.companionOf == nil {
      switch placement.seats(for: series.placement) {
      case .success(let seats):
        contenders += peers.filter { $0.series.contains(series.name) }.map {
          Contender(scenario: scenario, series: series, peer: $0, seats: seats)
        }
      case .failure(let unavailable):
        warnings.append(
          .seriesUnavailable("\(scenario.name) \(series.name)", reason: unavailable.reason)
        )
      }
    }
  }
}
