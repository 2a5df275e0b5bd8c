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

  /// Makes a registry.
  public init(scenarios: [Scenario], peers: [any Peer]) {
    self.scenarios = scenarios
    self.peers = peers
  }

  /// The peers of one scenario.
  public func peers(of scenario: Scenario) -> [any Peer] {
    peers.filter { $0.scenario == scenario.name }
  }

  /// Every peer's name, once.
  public var peerNames: [String] {
    peers.map(\.name).uniqued()
  }
}

extension Series {
  /// What stands in a closed run where an open-loop series was.
  package static let closedName = "closed"
  package static let closedSends = "closed.sends"
  package static let closedTime = "closed.ns"

  package static func isClosed(_ name: String) -> Bool { name == closedName }

  fileprivate var closed: Series {
    Series(
      name: Self.closedName,
      summary: "two CPUs, closed loop, no pause: from before the send to the callback",
      effort: effort,
      placement: placement,
      kind: .service
    )
  }
}

extension Registry {
  /// The same, but each send of an open-loop series waits for the answer to the
  /// one before: for a throughput. Nothing can be said of a tail then.
  package var closed: Registry {
    Registry(scenarios: scenarios.map(\.closed), peers: peers)
  }
}

extension Scenario {
  /// The same with each open-loop series closed.
  var closed: Scenario {
    let open = series.filter { $0.kind == .intended && $0.companionOf == nil }.map(\.name)
    let kept = series.filter { !open.contains($0.companionOf ?? "") }
    return Scenario(
      name: name,
      summary: summary,
      series: kept.map { open.contains($0.name) ? $0.closed : $0 },
      references: references,
      extras: extras,
      details: details,
      isStandard: isStandard,
      figures: figures
    )
  }
}

extension Registry {
  /// The same, but each peer takes about `samples` samples in each series over
  /// `rounds` rounds.
  ///
  /// - Precondition: both are at least 1.
  package func taking(samples: Int, in rounds: Int) -> Registry {
    precondition(
      samples > 0 && rounds > 0,
      "Registry: samples and rounds must be at least 1, got \(samples) and \(rounds)"
    )
    let each = (samples + rounds - 1) / rounds
    return Registry(scenarios: scenarios.map { $0.taking(each) }, peers: peers)
  }
}

extension Scenario {
  /// The same, with so many samples in a slice of each series.
  fileprivate func taking(_ samples: Int) -> Scenario {
    var own: [String: Series] = [:]
    for one in series where one.companionOf == nil { own[one.name] = one.taking(samples) }
    return Scenario(
      name: name,
      summary: summary,
      series: series.map { one in
        let other = one.companionOf.flatMap { own[$0] }
        return other.map {
          Series(name: one.name, summary: one.summary, recordedWith: $0, kind: one.kind)
        } ?? own[one.name] ?? one
      },
      references: references,
      extras: extras,
      details: details,
      isStandard: isStandard,
      figures: figures
    )
  }
}

extension Series {
  fileprivate func taking(_ samples: Int) -> Series {
    Series(
      name: name,
      summary: summary,
      effort: Effort(warmUps: effort.warmUps, samples: samples, operations: effort.operations),
      placement: placement,
      kind: kind
    )
  }
}
