extension SeriesTable {
  var titles: [String] {
    [unit.rawValue] + style.percentiles.map(\.title) + ["samples"]
      + (references.first.map { ["vs \($0) p50 (95 %)", "at p99"] } ?? [])
      + references.dropFirst().map { "vs \($0)" } + ["verdict"]
      + (scenario.extras.contains(.difference) ? ["ns above \(references.first ?? "")"] : [])
      + (scenario.extras.contains(.processorUse) ? ["CPU/wall"] : [])
      + (style.showsSparklines ? [sparkline.title] : [])
  }

  func cells(for result: Report.Result) -> [String] {
    Self.flatten([
      [result.isTwin ? "\(result.peer) (A/A)" : result.peer],
      style.percentiles.map { result.value(at: $0).map(time) ?? "-" },
      [String(result.count)],
      references.isEmpty ? [] : [ratioWithRange(of: result), ratio(of: result, at: .p99)],
      references.dropFirst().map { ratio(of: result, to: $0) },
      [verdict(of: result)],
      scenario.extras.contains(.difference) ? [difference(of: result)] : [],
      scenario.extras.contains(.processorUse) ? [processorUse(of: result)] : [],
      style.showsSparklines ? [sparkline.text(for: result)] : [],
    ])
  }

  private static func flatten(_ parts: [[String]]) -> [String] {
    parts.flatMap { $0 }
  }

  private func time(_ nanoseconds: Double) -> String {
    Decimals.text(nanoseconds / unit.nanoseconds, digits: digits)
  }

  private var sparkline: Sparkline { Sparkline(of: results, isASCII: style.isASCII) }

  private var references: [String] {
    scenario.references.filter { name in results.contains { $0.peer == name } }
  }
}

extension SeriesTable {
  private func comparison(
    of result: Report.Result,
    to reference: String?,
    at percentile: Percentile = .p50
  ) -> Report.Comparison? {
    comparisons.first {
      ($0.peer, $0.reference, $0.percentile) == (result.peer, reference, percentile.label)
    }
  }

  private func ratioWithRange(of result: Report.Result) -> String {
    comparison(of: result, to: references.first).map { comparison in
      let low = Self.figures(comparison.interval.low)
      let high = Self.figures(comparison.interval.high)
      return "\(Self.ratio(comparison.ratio.median)) (\(low)..\(high))"
    } ?? ""
  }

  /// The twin's is how far apart two names for one thing came out.
  private func verdict(of result: Report.Result) -> String {
    if result.isTwin, let noise { return noise.text }
    return comparison(of: result, to: references.first)?.verdict.rawValue ?? ""
  }

  private func ratio(of result: Report.Result, at percentile: Percentile) -> String {
    let comparison = comparison(of: result, to: references.first, at: percentile)
    return comparison.map { Self.ratio($0.ratio.median) } ?? ""
  }

  private func ratio(of result: Report.Result, to reference: String) -> String {
    comparison(of: result, to: reference).map { Self.ratio($0.ratio.median) } ?? ""
  }

  private func difference(of result: Report.Result) -> String {
    comparison(of: result, to: references.first).map { comparison in
      let spread = comparison.difference
      let parts = [spread.median, spread.low, spread.high].map { Decimals.signed($0, digits: 1) }
      return "\(parts[0]) (\(parts[1])..\(parts[2]))"
    } ?? ""
  }

  private func processorUse(of result: Report.Result) -> String {
    result.processorUse.map { Decimals.text($0, digits: 2) } ?? ""
  }

  private static func ratio(_ value: Double) -> String {
    figures(value) + "x"
  }

  private static func figures(_ value: Double) -> String {
    Decimals.text(value, digits: Decimals.digits(for: value))
  }
}
