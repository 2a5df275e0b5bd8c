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
