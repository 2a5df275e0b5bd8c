/// A number that a scenario states of each peer beside the times: a share, a count, a
/// percentile of another series.
///
/// It stands in a table of its own, and in the JSON under its name in the peer's
/// result.
///
/// ```swift
/// Figure("blankRatio", title: "blank %", scale: 100) { $0.ratio("blank", of: "seen") }
/// ```
public struct Figure: Sendable {
  /// Its key in the JSON: none that a result has already.
  public let name: String
  /// Its column's title.
  public let title: String
  /// What the table multiplies it by: 100 for a percentage.
  public let scale: Double
  /// Digits after the point in the table.
  public let digits: Int
  /// The number; `nil` where there is none.
  public let value: @Sendable (Evidence) -> Double?

  /// Makes a figure.
  public init(
    _ name: String,
    title: String,
    scale: Double = 1,
    digits: Int = 0,
    value: @escaping @Sendable (Evidence) -> Double?
  ) {
    self.name = name
    self.title = title
    self.scale = scale
    self.digits = digits
    self.value = value
  }

  /// What a peer did in a series over all rounds: what its figures are made of.
  public struct Evidence: Sendable {
    /// The series.
    public let series: String
    /// How many rounds there were.
    public let rounds: Int
    /// What was counted, over all of them.
    public let counts: [String: UInt64]
    // By series: this one, and those recorded with it.
    let histograms: [String: Histogram]

    /// A count over another; `nil` without both.
    public func ratio(_ part: String, of whole: String) -> Double? {
      guard let part = counts[part], let whole = counts[whole], whole > 0 else { return nil }
      return Double(part) / Double(whole)
    }

    /// What was counted a round.
    public func perRound(_ name: String) -> Double? {
      counts[name].map { Double($0) / Double(max(1, rounds)) }
    }

    /// A percentile in ns of the series, or of the one recorded with it as
    /// `companion`; `nil` where there are too few samples.
    public func value(at percentile: Percentile, of companion: String? = nil) -> Double? {
      let name = companion.map { "\(series).\($0)" } ?? series
      guard let histogram = histograms[name], percentile.isResolved(by: histogram.count) else {
        return nil
      }
      return histogram.value(at: percentile)
    }

    /// The largest sample in ns of the series, or of the one recorded with it as
    /// `companion`; `nil` where there is none.
    public func largest(of companion: String? = nil) -> Double? {
      guard let histogram = histograms[companion.map { "\(series).\($0)" } ?? series] else {
        return nil
      }
      return histogram.count > 0 ? histogram.max : nil
    }

    /// The mean in ns of the largest `part` of the series.
    public func meanOfLargest(_ part: Double) -> Double? {
      histograms[series]?.meanOfLargest(part)
    }
  }
}

extension Figure {
  /// As the table has it.
  func text(_ value: Double?) -> String {
    value.map { Decimals.text($0 * scale, digits: digits) } ?? "-"
  }
}
