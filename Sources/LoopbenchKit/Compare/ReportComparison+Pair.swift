extension ReportComparison {
  /// A result of both reports, and what is noise there.
  package struct Pair {
    /// `nil` where a report is judged by itself.
    package let base: Report.Result?
    package let new: Report.Result
    /// What was measured beside it in both runs.
    package let reference: Reference?
    /// By percentile: what either report found by measuring one peer twice.
    package let noise: [String: Interval]
    private let baseDrops: Bool
    private let newDrops: Bool

    package struct Reference {
      package let base: Report.Result
      package let new: Report.Result
    }

    init(judging result: Report.Result, drops: Bool) {
      (base, new, reference, noise) = (nil, result, nil, [:])
      (baseDrops, newDrops) = (drops, drops)
    }

    init(
      _ base: Report.Result,
      _ new: Report.Result,
      in baseReport: Report,
      _ newReport: Report,
      dropping: Bool
    ) {
      self.base = base
      self.new = new
      reference = Reference(of: new, in: baseReport, newReport)
      noise = Self.noise(about: new, in: [baseReport, newReport])
      baseDrops = dropping || baseReport.settings.dropsDisturbed
      newDrops = dropping || newReport.settings.dropsDisturbed
    }
  }
}

extension ReportComparison.Pair {
  /// The figures of one side: a value for each round.
  package struct Rounds {
    package let values: [Double]
    /// The values over those of the reference, or the values themselves.
    package let judged: [Double]
  }

  package func newRounds(at percentile: Percentile) -> Rounds {
    Self.rounds(of: new, reference?.new, at: percentile, dropping: newDrops)
  }

  package func baseRounds(at percentile: Percentile) -> Rounds? {
    base.map { Self.rounds(of: $0, reference?.base, at: percentile, dropping: baseDrops) }
  }

  private static func rounds(
    of result: Report.Result,
    _ reference: Report.Result?,
    at percentile: Percentile,
    dropping: Bool
  ) -> Rounds {
    let values = result.values(at: percentile, dropping: dropping).map(\.value)
    let ratios = reference.map {
      RoundPairs(result, with: $0, at: percentile, dropping: dropping).ratios
    }
    return Rounds(values: values, judged: ratios ?? values)
  }

  private static func noise(
    about result: Report.Result,
    in reports: [Report]
  ) -> [String: Interval] {
    let found = reports.flatMap(\.noise).filter {
      ($0.scenario, $0.series) == (result.scenario, result.series)
    }
    return Dictionary(found.map { ($0.percentile, $0.interval.mirrored) }) { $0.union($1) }
  }
}

extension ReportComparison.Pair.Reference {
  /// The first peer that both reports compare `result` with; `nil` when there is
  /// none.
  init?(of result: Report.Result, in base: Report, _ new: Report) {
    let names = new.comparisons.filter {
      ($0.scenario, $0.series, $0.peer) == (result.scenario, result.series, result.peer)
    }.map(\.reference)
    let found = names.lazy.compactMap { name -> Self? in
      guard let before = base.result(beside: result, peer: name),
        let now = new.result(beside: result, peer: name)
      else { return nil }
      return Self(base: before, new: now)
    }.first
    guard let found else { return nil }
    self = found
  }
}

extension Report {
  /// What `peer` did in the series of `result`.
  fileprivate func result(beside result: Result, peer: String) -> Result? {
    results.first {
      ($0.scenario, $0.series, $0.peer) == (result.scenario, result.series, peer)
    }
  }
}
