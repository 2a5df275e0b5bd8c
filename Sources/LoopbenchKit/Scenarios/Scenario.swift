/// One question about a loop, answered by one or more series.
public struct Scenario: Sendable {
  /// How the command line and reports name it: `wake`.
  public let name: String
  /// One line: what is measured.
  public let summary: String
  /// What is measured, in the order it is shown in.
  public let series: [Series]
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
