extension ReportComparison {
  /// A result of the new report and the result of the same peer in the base.
  struct Pair {
    /// Nil if the new report is judged alone.
    let base: Side?
    let new: Side
    /// The noise of both runs, by percentile. Empty if there is no base.
    let noise: [String: Interval]

    init(
      _ base: Report.Result?,
      _ new: Report.Result,
      in baseReport: Report?,
      _ newReport: Report
    ) {
      let reports = [baseReport, newReport].compactMap { $0 }
      func result(of peer: String, in report: Report) -> Report.Result? {
        report.results.first {
          ($0.scenario, $0.series, $0.peer) == (new.scenario, new.series, peer)
        }
      }
      // The first reference of the new report that both reports contain.
      let reference = newReport.comparisons.filter {
        ($0.scenario, $0.series, $0.peer) == (new.scenario, new.series, new.peer)
      }.map(\.reference).first { peer in
        reports.allSatisfy { result(of: peer, in: $0) != nil }
      }
      func side(_ own: Report.Result, _ report: Report) -> Side {
        Side(result: own, reference: reference.flatMap { result(of: $0, in: report) })
      }
      self.base = base.flatMap { base in baseReport.map { side(base, $0) } }
      self.new = side(new, newReport)
      let found = reports.flatMap(\.noise).filter {
        base != nil && ($0.scenario, $0.series) == (new.scenario, new.series)
      }
      noise = Dictionary(found.map { ($0.percentile, $0.interval.mirrored) }) { $0.union($1) }
    }
  }

  /// One report's part of a pair.
  struct Side {
    let result: Report.Result
    /// The reference that both runs measured with this peer.
    let reference: Report.Result?

    func rounds(at percentile: Percentile) -> Rounds {
      let values = result.values(at: percentile).map(\.value)
      let ratios = reference.map { RoundPairs(result, with: $0, at: percentile).ratios }
      return Rounds(values: values, judged: ratios ?? values)
    }
  }

  /// One value for each round.
  struct Rounds {
    let values: [Double]
    /// The ratios to the reference. Equal to `values` if there is no reference.
    let judged: [Double]
  }
}
