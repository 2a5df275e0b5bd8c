/// The contenders that a run measures, chosen from a registry.
package struct Selection: Sendable {
  /// Every chosen peer in each of its series, in the order of the registry.
  package private(set) var contenders: [Contender] = []
  /// Warnings about peers and series that are left out.
  package private(set) var warnings: [Warning] = []
  /// The chosen peers that can measure none of the chosen series, with the series that
  /// they can: `post peer "cond" measures only closure.across, closure.self`.
  package private(set) var unmatched: [String] = []

  /// Chooses contenders.
  ///
  /// - Parameters:
  ///   - scenarios: The names of the scenarios, alone or with one of their series:
  ///     `wake/across`. Empty means all standard scenarios.
  ///   - peers: The names of the peers. `nil` means all standard peers, and a list
  ///     with `all` means every peer. If scenarios are named, each of them must
  ///     have all named peers. Otherwise a scenario is measured with the named
  ///     peers that it has.
  ///   - series: The names of the series, with or without the name of their
  ///     scenario, which may contain `all`. Empty means all standard series.
  ///     Companions are included.
  ///   - control: The series in which one peer is measured a second time. This peer
  ///     is the first reference or, without references, the first peer of the
  ///     registry.
  package init(
    from registry: Registry,
    scenarios: [String] = [],
    peers: [String]? = nil,
    series: [String] = [],
    placement: Placement,
    control: AAControl = .compared
  ) throws(LoopbenchError) {
    let paths = scenarios.filter { $0.contains("/") }
    let whole = scenarios.filter { !$0.contains("/") }
    let named = scenarios.map { String($0.prefix { $0 != "/" }) }
    let chosen = try Self.scenarios(named: named, in: registry)
    let isAll = peers?.contains(Self.all) ?? false
    let peers = peers?.filter { $0 != Self.all }
    let own = chosen.flatMap(registry.peers).map(\.name).uniqued()
    let choices = named.isEmpty ? registry.peerNames : own
    for name in peers ?? [] where !registry.peerNames.contains(name) {
      throw .unknown("peer", name, among: choices, listsAll: true)
    }
    try Self.check(series.filter { $0 != Self.all } + paths, in: chosen)
    for scenario in chosen {
      let wanted = registry.peers(of: scenario).filter {
        isAll || peers?.contains($0.name) ?? $0.isStandard
      }
      let found = try available(wanted, in: scenario, named: peers ?? [])
      let missing = (peers ?? []).filter { name in !wanted.contains { $0.name == name } }
      if let name = missing.first, !scenarios.isEmpty {
        let has = registry.peers(of: scenario).map(\.name).joined(separator: ", ")
        throw .unavailable("\(scenario.name) has no peer \"\(name)\"; it has \(has)")
      }
      warnings += missing.map { .peerSkipped($0, in: scenario.name) }
      let wished = scenario.series.filter { one in
        guard one.companionOf == nil else { return false }
        let isNamed = (series + paths).contains { one.goesBy($0, in: scenario) }
        let isWhole = scenarios.isEmpty || whole.contains(scenario.name)
        return isNamed || series.contains(Self.all)
          || (isWhole && series.isEmpty && one.isStandard)
      }
      let able = matching(found, wished, in: scenario, isNamed: peers != nil && !isAll)
      add(wished, of: scenario, peers: able, placement: placement, control: control)
    }
  }
}

extension Selection {
  /// The name that selects every peer.
  package static let all = "all"

  /// Returns the peers that can be measured on this machine. For any other peer,
  /// throws if it was named, and adds a warning if it was not.
  private mutating func available(
    _ peers: [any Peer],
    in scenario: Scenario,
    named names: [String]
  ) throws(LoopbenchError) -> [any Peer] {
    var found: [any Peer] = []
    for peer in peers {
      guard let reason = peer.unavailability else {
        found.append(peer)
        continue
      }
      guard !names.contains(peer.name) else {
        throw .unavailable(
          "\(scenario.name) cannot measure peer \"\(peer.name)\" here: \(reason)"
        )
      }
      warnings.append(.peerUnavailable(peer.name, in: scenario.name, reason: reason))
    }
    return found
  }

  /// Returns the peers that can measure one of `series`. Notes any other peer in
  /// `unmatched`, and adds a warning if it was named.
  private mutating func matching(
    _ peers: [any Peer],
    _ series: [Series],
    in scenario: Scenario,
    isNamed: Bool
  ) -> [any Peer] {
    guard !series.isEmpty else { return peers }
    return peers.filter { peer in
      if series.contains(where: { peer.series.contains($0.name) }) { return true }
      let known = peer.series.filter { name in scenario.series.contains { $0.name == name } }
      let own = known.joined(separator: ", ")
      unmatched.append("\(scenario.name) peer \"\(peer.name)\" measures only \(own)")
      if isNamed { warnings.append(.peerLacksSeries(peer.name, in: scenario.name, only: own)) }
      return false
    }
  }

  private static func scenarios(
    named names: [String],
    in registry: Registry
  ) throws(LoopbenchError) -> [Scenario] {
    try check(names, among: registry.scenarios.map(\.name), "scenario")
    return registry.scenarios.filter { names.isEmpty ? $0.isStandard : names.contains($0.name) }
  }

  private static func check(
    _ names: [String],
    among known: [String],
    _ what: String
  ) throws(LoopbenchError) {
    for name in names where !known.contains(name) {
      throw .unknown(what, name, among: known, listsAll: true)
    }
  }

  private static func check(
    _ names: [String],
    in scenarios: [Scenario]
  ) throws(LoopbenchError) {
    let known = scenarios.flatMap { scenario in scenario.series.map { (scenario, $0) } }
    for name in names where !known.contains(where: { $0.1.goesBy(name, in: $0.0) }) {
      let paths = known.map { "\($0.0.name)/\($0.1.name)" }
      let names = name.contains("/") ? paths : known.map(\.1.name).uniqued()
      throw .unknown("series", name, among: names, listsAll: true)
    }
  }

  private mutating func add(
    _ series: [Series],
    of scenario: Scenario,
    peers: [any Peer],
    placement: Placement,
    control: AAControl
  ) {
    for series in series {
      switch placement.seats(for: series.placement) {
      case .success(let seats):
        let able = peers.filter { $0.series.contains(series.name) }
        let twin = control.applies(toPeers: able.count) ? scenario.first(of: able) : nil
        let measured = able.map { ($0, false) } + [twin].compactMap { $0 }.map { ($0, true) }
        contenders += measured.map { peer, isTwin in
          Contender(scenario: scenario, series: series, peer: peer, isTwin: isTwin, seats: seats)
        }
      case .failure(let unavailable):
        warnings.append(
          .seriesUnavailable("\(scenario.name) \(series.name)", reason: "\(unavailable)")
        )
      }
    }
  }
}

extension Scenario {
  /// The peer that is measured twice. This is the first reference or, without
  /// references, the first peer.
  fileprivate func first(of peers: [any Peer]) -> (any Peer)? {
    let reference = references.lazy.compactMap { name in peers.first { $0.name == name } }.first
    return reference ?? peers.first
  }
}

extension Series {
  /// Whether `name` is the name of this series or of a companion, either alone or
  /// after the scenario's name and a slash.
  fileprivate func goesBy(_ name: String, in scenario: Scenario) -> Bool {
    let family = scenario.series.filter { $0.name == self.name || $0.companionOf == self.name }
    return family.contains { name == $0.name || name == "\(scenario.name)/\($0.name)" }
  }
}

/// The series in which one peer is measured a second time, as an A/A control. The
/// two measurements differ only by noise. The raw value is the smallest number of
/// peers for which a series has a twin.
package enum AAControl: Int, Sendable {
  /// In every series. Used for a run that is compared with another run.
  case always = 1
  /// In series with at least two peers.
  case compared = 2
  /// In no series. Differences then cannot be distinguished from noise.
  case never

  fileprivate func applies(toPeers count: Int) -> Bool {
    self != .never && count >= rawValue
  }
}
