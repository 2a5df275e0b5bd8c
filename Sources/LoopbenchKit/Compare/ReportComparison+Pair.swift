extension ReportComparison {
  /// A result of both reports, and what is noise there.
  struct Pair {
    /// `nil` where a report is judged by itself.
    let base: Side?
    let new: Side
    /// By percentile: what either report found by measuring one peer twice.
    let noise: [String: Interval]

    init(judging result: Report.Result, drops: Bool) {
      (base, noise) = (nil, [:])
      new = Side(result: result, reference: nil, drops: drops)
    }

    init(
      _ base: Report.Result,
      _ new: Report.Result,
      in baseReport: Report,
      _ newReport: Report,
      dropping: Bool
    ) {
      let reports = [baseReport, newReport]
      // The first peer that both reports compare it with.
      let reference = newReport.comparisons.filter {
        ($0.scenario, $0.series, $0.peer) == (new.scenario, new.series, new.peer)
      }.map(\.reference).first { name in
        reports.allSatisfy { $0.result(beside: new, peer: name) != nil }
      }
      let sides = zip([base, new], reports).map { result, report in
        Side(
          result: result,
          reference: reference.flatMap { report.result(beside: new, peer: $0) },
          drops: dropping || report.settings.dropsDisturbed
        )
      }
      (self.base, self.new) = (sides[0], sides[1])
      let found = reports.flatMap(\.noise).filter {
        ($0.scenario, $0.series) == (new.scenario, new.series)
      }
      noise = Dictionary(found.map { ($0.percentile, $0.interval.mirrored) }) { $0.union($1) }
    }
  }

  /// One report's part of a pair.
  struct Side {
    let result: Report.Result
    /// What was measured beside it in both runs.
    let reference: Report.Result?
    let drops: Bool

    /// The figures of each round.
    func rounds(at percentile: Percentile) -> Rounds {
      let values = result.values(at: percentile, dropping: drops).map(\.value)
      let ratios = reference.map {
        RoundPairs(result, with: $0, at: percentile, dropping: drops).ratios
      }
      return Rounds(values: values, judged: ratios ?? values)
    }
  }

  /// A value for each round.
  struct Rounds {
    let values: [Double]
    /// The values over those of the reference, or the values themselves.
    let judged: [Double]
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
