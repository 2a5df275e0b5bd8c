/// Renders HdrHistogram's percentile distribution, which its plotters read: a
/// block for each peer in each series, values in ms.
enum HgrmReport {
  static func render(_ report: Report) -> String {
    report.results.map { HgrmBlock($0).lines.joined(separator: "\n") + "\n" }
      .joined(separator: "\n")
  }
}

/// The distribution of one result: a line for each step of the percentile, with
/// five steps to every halving of what is left, as HdrHistogram makes them.
struct HgrmBlock {
  private let result: Report.Result

  private static let stepsPerHalf = 5.0

  init(_ result: Report.Result) {
    self.result = result
  }

  var lines: [String] { [title, ""] + rows + footer }

  private var title: String {
    Self.padded(["Value", "Percentile", "TotalCount", "1/(1-Percentile)"], to: [14, 14, 10, 16])
  }

  private var rows: [String] {
    var rows: [String] = []
    var seen: UInt64 = 0
    var level = 0.0
    for bucket in result.histogram.buckets {
      seen += bucket.count
      let value = min(max(bucket.middle, result.min), result.max)
      while seen < result.count, Double(seen) / Double(result.count) >= level {
        rows.append(Self.row(value, at: level, seen: seen))
        level += (1 - level) / Self.steps(at: level)
      }
    }
    return rows + [Self.row(result.max, at: 1, seen: result.count)]
  }

  /// Into how many steps what is left above `level` is cut.
  private static func steps(at level: Double) -> Double {
    let halvings = Logarithm.binary(1 / (1 - level)).rounded(.down) + 1
    let rest = (1 - level) * (0..<Int(halvings)).reduce(1.0) { power, _ in power * 2 }
    return stepsPerHalf * rest
  }

  private static func row(_ value: Double, at level: Double, seen: UInt64) -> String {
    let cells = [milliseconds(value), Decimals.text(level, digits: 12), String(seen)]
    // The last line has no fourth column: it would be infinite.
    let inverse = level < 1 ? [Decimals.text(1 / (1 - level), digits: 2)] : []
    return padded(cells + inverse, to: [14, 14, 10, 16])
  }

  private var footer: [String] {
    [
      "#[Mean    = \(Self.milliseconds(result.mean)), "
        + "StdDeviation   = \(Self.milliseconds(result.stddev))]",
      "#[Max     = \(Self.milliseconds(result.max)), Total count    = \(result.count)]",
      "#[Buckets = \(result.histogram.pairs.count), SubBuckets     = \(1 << Histogram.subBits)]",
      "#[Series  = \(result.scenario) \(result.series) \(result.peer), Unit = ms]",
    ]
  }

  /// To the picosecond, like the histogram.
  private static func milliseconds(_ nanoseconds: Double) -> String {
    Decimals.text(nanoseconds / 1_000_000, digits: 9)
  }

  private static func padded(_ cells: [String], to widths: [Int]) -> String {
    zip(cells, widths).map { cell, width in
      String(repeating: " ", count: max(0, width - cell.count)) + cell
    }.joined(separator: " ")
  }
}
