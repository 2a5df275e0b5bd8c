extension SeriesTable {
  var allColumns: [Column] {
    let parts: [[Column]] = [
      [
        Column(title: unit.rawValue, rank: .always, isLeft: true) {
          $0.isTwin ? "\($0.peer) (A/A)" : $0.peer
        }
      ],
      style.percentiles.map(percentile),
      [Column(title: "samples", rank: .samples) { String($0.count) }],
      references.first.map(ratios) ?? [],
      references.dropFirst().map { name in
        Column(title: "vs \(name)", rank: .otherReference) { ratio(of: $0, to: name, at: .p50) }
      },
      [Column(title: "verdict", rank: .verdict, cell: verdict)],
      extras,
      style.showsSparklines
        ? [Column(title: sparkline.title, rank: .picture, cell: sparkline.text)] : [],
    ]
    return parts.flatMap { $0 }
  }

  private func percentile(_ percentile: Percentile) -> Column {
    let kept = style.percentiles.contains(.p50) ? .p50 : style.percentiles.first
    let isTail = percentile.thousandths >= Percentile.p99.thousandths
    return Column(
      title: percentile.title,
      rank: percentile == kept ? .always : isTail ? .tail : .otherPercentile
    ) { $0.value(at: percentile).map(time) ?? "-" }
  }

  private func ratios(to reference: String) -> [Column] {
    [
      Column(title: "vs \(reference) p50", rank: .ratio) {
        ratio(of: $0, to: reference, at: .p50)
      },
      Column(title: "95 %", rank: .interval, cell: interval),
      Column(title: "at p99", rank: .ratioAtTail) { ratio(of: $0, to: reference, at: .p99) },
    ]
  }

  private var extras: [Column] {
    let title = "ns above \(references.first ?? "")"
    let difference = Column(title: title, rank: .extra, cell: difference)
    let use = Column(title: "CPU/wall", rank: .extra, cell: processorUse)
    return (scenario.extras.contains(.difference) ? [difference] : [])
      + (scenario.extras.contains(.processorUse) ? [use] : [])
  }

  private func time(_ nanoseconds: Double) -> String {
    Decimals.text(nanoseconds / unit.nanoseconds, digits: digits)
  }

  private var sparkline: Sparkline { Sparkline(of: results, isASCII: style.isASCII) }

  var references: [String] {
    scenario.references.filter { name in results.contains { $0.peer == name } }
  }
}

extension SeriesTable {
  func comparison(
    of result: Report.Result,
    to reference: String?,
    at percentile: Percentile = .p50
  ) -> Report.Comparison? {
    comparisons.first {
      ($0.peer, $0.reference, $0.percentile) == (result.peer, reference, percentile.label)
    }
  }

  private func interval(of result: Report.Result) -> String {
    comparison(of: result, to: references.first).map { comparison in
      let range = [comparison.interval.low, comparison.interval.high].map(Decimals.figures)
      return "\(range[0])..\(range[1])"
    } ?? ""
  }

  /// The verdict and the reason to doubt it. For a twin, the noise floor.
  private func verdict(of result: Report.Result) -> String {
    if result.isTwin, let noise { return noise.text }
    guard let comparison = comparison(of: result, to: references.first) else { return "" }
    guard !isFloor(result) else { return "floor" }
    return ([comparison.verdict.rawValue] + spoils.map { "(\($0))" }).joined(separator: " ")
  }

  private func ratio(
    of result: Report.Result,
    to reference: String,
    at percentile: Percentile
  ) -> String {
    let comparison = comparison(of: result, to: reference, at: percentile)
    return comparison.map { Decimals.figures($0.ratio.median) + "x" } ?? ""
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
}

/// Small drawings of the distributions in one table, on a common logarithmic scale
/// from the smallest sample to the largest p99. The last character of a drawing
/// represents the tail above this p99.
struct Sparkline {
  private let bins: Bins
  private let isASCII: Bool

  private static let cells = 16
  private static let blocks = Array(" ▁▂▃▄▅▆▇█")
  private static let characters = Array(" .:-=+*#@")

  init(of results: [Report.Result], isASCII: Bool) {
    let positive = results.filter { $0.max > 0 }
    let high = positive.map { $0.value(at: .p99) ?? $0.max }.max() ?? 1
    // Limited to 6 decades: a sample of 0 has no logarithm and cannot set the lower
    // end.
    let low = max(positive.map(\.min).min() ?? 1, high / 1_000_000)
    bins = Bins(low: low, high: high, count: Self.cells)
    self.isASCII = isASCII
  }

  /// The title of the column, which states the ends of the scale.
  var title: String {
    "\(TimeText.short(bins.low)) .. \(TimeText.short(bins.high))"
  }

  /// One character for each bin, relative to the highest bin. A share above 0 is never blank.
  func text(for result: Report.Result) -> String {
    let shares = bins.shares(of: result.histogram, samples: result.count)
    let levels = isASCII ? Self.characters : Self.blocks
    let most = shares.max() ?? 0
    return String(
      shares.map { share in
        guard share > 0 else { return levels[0] }
        let level = (share / most * Double(levels.count - 1)).rounded(.up)
        return levels[min(max(Int(level), 1), levels.count - 1)]
      }
    )
  }
}
