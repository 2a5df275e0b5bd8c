/// One question about a loop, answered by one or more series.
public struct Scenario: Sendable {
  /// How the command line and reports name it: `wake`.
  public let name: String
  /// One line: what is measured.
  public let summary: String
  /// What is measured, in the order it is shown in.
  public internal(set) var series: [Series]
  /// Peers that others are compared with; the first one's ratios are shown in full.
  public let references: [String]
  /// What else its tables show.
  public let extras: Set<Extra>
  /// What is timed, from when to when, with a drawing: some lines of plain text.
  public let details: String
  /// Whether it takes part in a run that names no scenarios.
  public let isStandard: Bool
  /// What it states of each peer beside the times, in the order it is shown in.
  public let figures: [Figure]

  /// A column that only some scenarios have.
  public enum Extra: String, Codable, CaseIterable, Sendable {
    /// How many ns a peer is above the first reference.
    case difference
    /// Processor time over wall time: 2 means two CPUs were kept busy.
    case processorUse
  }

  /// Makes a scenario.
  public init(
    name: String,
    summary: String,
    series: [Series],
    references: [String] = ["uv"],
    extras: Set<Extra> = [],
    details: String = "",
    isStandard: Bool = true,
    figures: [Figure] = []
  ) {
    self.figures = figures
    self.name = name
    self.summary = summary
    self.series = series
    self.references = references
    self.extras = extras
    self.details = details
    self.isStandard = isStandard
  }
}

/// One quantity of a scenario, in ns.
public struct Series: Sendable {
  /// How reports name it: `typed.across`.
  public let name: String
  /// One line: from when to when, and over how many operations.
  public let summary: String
  /// How much of it one slice measures.
  public internal(set) var effort: Effort
  /// Where its threads sit.
  public let placement: Placement.Rule
  /// What its samples are times of.
  public let kind: Kind
  /// Another series whose slices record this one too; `nil` for one of its own.
  public let companionOf: String?

  /// What the samples of a series are times of.
  public enum Kind: String, Codable, CaseIterable, Sendable {
    /// The mean of a batch of operations.
    case mean
    /// From the start of one operation to its end.
    case service
    /// From when one operation was due, by a schedule that waits for nobody, to
    /// its end: what somebody who came at that time would have waited.
    case intended
    /// From when one operation was due to its start: how far the measuring side
    /// itself was behind.
    case lag
  }

  /// Makes a series that is measured by itself.
  public init(
    name: String,
    summary: String,
    effort: Effort,
    placement: Placement.Rule = .loop,
    kind: Kind = .mean
  ) {
    self.name = name
    self.summary = summary
    self.effort = effort
    self.placement = placement
    self.kind = kind
    companionOf = nil
  }

  /// Makes a series that is recorded while `other` is measured.
  public init(name: String, summary: String, recordedWith other: Series, kind: Kind? = nil) {
    self.name = name
    self.summary = summary
    effort = other.effort
    placement = other.placement
    self.kind = kind ?? other.kind
    companionOf = other.name
  }
}

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
