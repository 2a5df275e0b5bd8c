extension Registry {
  /// The same, but each peer takes about `samples` samples in each series over
  /// `rounds` rounds.
  ///
  /// - Precondition: both are at least 1.
  public func taking(samples: Int, in rounds: Int) -> Registry {
    precondition(
      samples > 0 && rounds > 0,
      "Registry: samples and rounds must be at least 1, got \(samples) and \(rounds)"
    )
    let each = (samples + rounds - 1) / rounds
    return Registry(
      scenarios: scenarios.map { $0.taking(each) },
      peers: peers,
      planned: planned
    )
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
