/// The distributions of one table, drawn small on one logarithmic scale: from
/// the smallest sample to the largest p99; the last cell has the tail.
struct Sparkline {
  private let bins: Bins
  private let isASCII: Bool

  private static let cells = 16
  private static let blocks = Array(" ▁▂▃▄▅▆▇█")
  private static let characters = Array(" .:-=+*#@")

  init(of results: [Report.Result], isASCII: Bool) {
    let positive = results.filter { $0.max > 0 }
    let high = positive.map { $0.value(at: .p99) ?? $0.max }.max() ?? 1
    // Not further down than 6 decades: a sample of 0 has no logarithm.
    let low = max(positive.map(\.min).min() ?? 1, high / 1_000_000)
    bins = Bins(low: low, high: high, count: Self.cells)
    self.isASCII = isASCII
  }

  /// The column's title: what its ends are.
  var title: String {
    "\(TimeText.short(bins.low)) .. \(TimeText.short(bins.high))"
  }

  /// A cell for each bin, the highest one full.
  func text(for result: Report.Result) -> String {
    let shares = bins.shares(of: result.histogram, samples: result.count)
    return Self.text(for: shares, isASCII: isASCII)
  }

  /// A character for each share; what is above 0 is never blank.
  static func text(for shares: [Double], isASCII: Bool) -> String {
    let levels = isASCII ? characters : blocks
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
