extension Report {
  /// What a scenario is, for a reader that does not know it: another program's,
  /// or an older one's.
  public struct Description: Codable, Equatable, Sendable {
    /// Its name.
    public let scenario: String
    /// One line: what is measured.
    public let summary: String
    /// Peers that others are compared with.
    public let references: [String]
    /// What else its tables show.
    public let extras: [Scenario.Extra]
    /// What is measured, in the order it is shown in.
    public let series: [SeriesDescription]
  }

  /// What a series is.
  public struct SeriesDescription: Codable, Equatable, Sendable {
    /// Its name.
    public let name: String
    /// One line: from when to when, and over how many operations.
    public let summary: String
    /// The series whose slices record this one, too; `nil` for one of its own.
    public let companionOf: String?
  }

  /// What is to be shown of the scenario `name`: as it was when it was measured or,
  /// where the report does not say, as one of `known` has it.
  func scenario(named name: String, among known: [Scenario]) -> Scenario {
    let description = descriptions?.first { $0.scenario == name }
    let figures = known.first { $0.name == name }?.figures ?? []
    return description.map { Scenario($0, figures: figures) } ?? known.first { $0.name == name }
      ?? Scenario(name: name, summary: "", series: [])
  }
}

extension Report.Description {
  init(of scenario: Scenario) {
    self.scenario = scenario.name
    summary = scenario.summary
    references = scenario.references
    extras = Scenario.Extra.allCases.filter(scenario.extras.contains)
    series = scenario.series.map {
      Report.SeriesDescription(name: $0.name, summary: $0.summary, companionOf: $0.companionOf)
    }
  }
}

extension Scenario {
  /// To be shown, not to be measured: it has no effort.
  fileprivate init(_ description: Report.Description, figures: [Figure]) {
    self.init(
      name: description.scenario,
      summary: description.summary,
      series: description.series.map { Series($0) },
      references: description.references,
      extras: Set(description.extras),
      figures: figures
    )
  }
}
