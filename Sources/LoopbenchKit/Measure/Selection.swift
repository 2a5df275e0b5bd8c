/// Which contenders a run measures, out of a registry.
public struct Selection: Sendable {
  /// Every chosen peer in every series it has, in the order of the registry.
  public private(set) var contenders: [Contender] = []
  /// What was asked for or would be there, and is not measured.
  public private(set) var warnings: [Report.Warning] = []

  /// Chooses contenders.
  ///
  /// - Parameters:
  ///   - scenarios: Names; empty means the standard ones.
  ///   - peers: Names; `nil` means the standard ones, `all` among them all there
  ///     are. With named scenarios, each must have each peer; otherwise a scenario
  ///     is measured with those it has.
  ///   - series: Names, with or without that of their scenario; empty means all. What
  ///     is recorded along with one comes along.
  ///   - twins: Where the first peer is measured a second time: the reference, or
  ///     else the first of the registry.
  public init(
    from registry: Registry,
    scenarios: [String] = [],
    peers: [String]? = nil,
    series: [String] = [],
    placement: Placement,
    twins: TwinRule = .compared
  ) throws(SelectionError) {
    let chosen = try Self.scenarios(named: scenarios, in: registry)
    let isAll = peers?.contains(Self.all) ?? false
    let peers = peers?.filter { $0 != Self.all }
    try Self.checkNames(of: peers ?? [], in: registry)
    try Self.check(series, in: chosen)
    for scenario in chosen {
      let wanted = registry.peers(of: scenario).filter {
        isAll || peers?.contains($0.name) ?? $0.isStandard
      }
      let found = try available(wanted, in: scenario, named: peers ?? [])
      let missing = (peers ?? []).filter { name in !wanted.contains { $0.name == name } }
      if let name = missing.first, !scenarios.isEmpty {
        throw .peerNotInScenario(
          name: name,
          scenario: scenario.name,
          has: registry.peers(of: scenario).map(\.name)
        )
      }
      warnings += missing.map { .peerSkipped($0, in: scenario.name) }
      let wished = scenario.series.filter { one in
        one.companionOf == nil
          && (series.isEmpty || series.contains { one.goesBy($0, in: scenario) })
      }
      add(wished, of: scenario, peers: found, placement: placement, twins: twins)
    }
  }
}

extension Selection {
  /// The name that stands for every peer.
  public static let all = "all"

  /// Those of `peers` that can be measured here; the others are an error if they
  /// were asked for by name, and a warning otherwise.
  private mutating func available(
    _ peers: [any Peer],
    in scenario: Scenario,
    named names: [String]
  ) throws(SelectionError) -> [any Peer] {
    var found: [any Peer] = []
    for peer in peers {
      guard let reason = peer.unavailability else {
        found.append(peer)
        continue
      }
      guard !names.contains(peer.name) else {
        throw .peerUnavailable(name: peer.name, scenario: scenario.name, reason: reason)
      }
      warnings.append(.peerUnavailable(peer.name, in: scenario.name, reason: reason))
    }
    return found
  }

  private static func scenarios(
    named names: [String],
    in registry: Registry
  ) throws(SelectionError) -> [Scenario] {
    let known = registry.scenarios.map(\.name)
    for name in names where !known.contains(name) {
      throw .unknownScenario(name: name, suggestion: Suggestion.nearest(to: name, in: known))
    }
    return registry.scenarios.filter { names.isEmpty ? $0.isStandard : names.contains($0.name) }
  }

  private static func checkNames(
    of peers: [String],
    in registry: Registry
  ) throws(SelectionError) {
    let known = registry.peerNames
    for name in peers where !known.contains(name) && name != all {
      throw .unknownPeer(name: name, suggestion: Suggestion.nearest(to: name, in: known))
    }
  }

  private static func check(
    _ names: [String],
    in scenarios: [Scenario]
  ) throws(SelectionError) {
    let known = scenarios.flatMap { scenario in
      scenario.series.filter { $0.companionOf == nil }.map { (scenario: scenario, series: $0) }
    }
    for name in names where !known.contains(where: { $0.series.goesBy(name, in: $0.scenario) }) {
      throw .unknownSeries(
        name: name,
        suggestion: Suggestion.nearest(
          to: name,
          in: known.flatMap { [$0.series.name, "\($0.scenario.name)/\($0.series.name)"] }
        )
      )
    }
  }

  private mutating func add(
    _ series: [Series],
    of scenario: Scenario,
    peers: [any Peer],
    placement: Placement,
    twins: TwinRule
  ) {
    for series in series {
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

extension Series {
  /// Whether `name` is its own, or its own after its scenario's and a slash.
  fileprivate func goesBy(_ name: String, in scenario: Scenario) -> Bool {
    name == self.name || name == "\(scenario.name)/\(self.name)"
  }
}

/// Why a choice of scenarios and peers can not be measured.
public enum SelectionError: Error, Equatable, CustomStringConvertible {
  /// No scenario has that name.
  case unknownScenario(name: String, suggestion: String?)
  /// No scenario that was chosen has a series of that name.
  case unknownSeries(name: String, suggestion: String?)
  /// No peer of any scenario has that name.
  case unknownPeer(name: String, suggestion: String?)
  /// The peer exists, but not for a scenario that was asked for.
  case peerNotInScenario(name: String, scenario: String, has: [String])
  /// The peer exists, but can not be measured on this machine.
  case peerUnavailable(name: String, scenario: String, reason: String)

  /// What is wrong, and what could be asked for.
  public var description: String {
    switch self {
    case .unknownScenario(let name, let suggestion):
      "there is no scenario \"\(name)\"" + Suggestion.question(suggestion)
    case .unknownSeries(let name, let suggestion):
      "there is no series \"\(name)\" to measure" + Suggestion.question(suggestion)
    case .unknownPeer(let name, let suggestion):
      "there is no peer \"\(name)\"" + Suggestion.question(suggestion)
    case .peerNotInScenario(let name, let scenario, let has):
      "\(scenario) has no peer \"\(name)\"; it has \(has.joined(separator: ", "))"
    case .peerUnavailable(let name, let scenario, let reason):
      "\(scenario) can not measure peer \"\(name)\" here: \(reason)"
    }
  }
}

/// When the first peer of a series is measured a second time, as a peer of its
/// own: what the two differ by is noise.
public enum TwinRule: Equatable, Sendable {
  /// Where it is compared with another peer.
  case compared
  /// In every series, for a run that is compared with another run.
  case always
  /// Nowhere: then no difference can be told from noise.
  case never

  package func applies(toPeers count: Int) -> Bool {
    switch self {
    case .compared: count > 1
    case .always: count > 0
    case .never: false
    }
  }
}
