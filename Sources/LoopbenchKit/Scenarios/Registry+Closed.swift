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
  public var closed: Registry {
    Registry(scenarios: scenarios.map(\.closed), peers: peers, planned: planned)
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
