/// What a run found: the value behind every output format.
///
/// Its JSON is the schema `loopbench/1`; all times are in ns.
package struct Report: Codable, Equatable, Sendable {
  /// Names the shape of this value.
  package let schema: String
  /// The program that measured.
  package let tool: Tool
  /// How it was called.
  package let argv: [String]
  /// What decided the order of the contenders and the phases of the load.
  package let seed: UInt64
  /// What the caller called it by: `--label commit=1a2b3c`.
  package let labels: [String: String]
  /// What it ran on.
  package let machine: Machine
  /// How it measured.
  package let settings: Settings
  /// What the scenarios are; `nil` in a report of before there was this.
  package let descriptions: [Description]?
  /// Every recorded round, with its order.
  package let rounds: [RoundSummary]
  /// One for each peer in each series.
  package internal(set) var results: [Result]
  /// Peers against references.
  package internal(set) var comparisons: [Comparison]
  /// What measuring one peer twice gave, by scenario, series and percentile.
  package internal(set) var noise: [Noise]
  /// What a reader should know before believing a figure.
  package internal(set) var warnings: [Warning]

  /// The name of this version of the schema.
  package static let currentSchema = "loopbench/1"
}

extension Report {
  /// The program that measured.
  package struct Tool: Codable, Equatable, Sendable {
    /// Its name.
    package let name: String
    /// Its version.
    package let version: String

    /// This one.
    package static let loopbench = Tool(name: "loopbench", version: "0.1.0")
  }

  /// How a run measured.
  package struct Settings: Codable, Equatable, Sendable {
    /// Recorded rounds.
    package let rounds: Int
    /// How a round orders its contenders.
    package let order: String
    /// What is not recorded.
    package let warmUp: String
    /// How many rounds were not recorded.
    package let warmUpRounds: Int
    /// Whether comparisons and noise leave disturbed rounds out.
    package let dropsDisturbed: Bool
    /// Where the threads sat.
    package let placement: Placement
    /// How often the open-loop series started an operation.
    package let pace: Pace
    /// What the machine was asked for; `nil` for nothing beside its default.
    package let conditions: RunConditions?
    /// What measuring costs, measured before the first round.
    package let overhead: Overhead
    /// The scenarios that were measured.
    package let scenarios: [String]
    /// The peers that were measured.
    package let peers: [String]
  }
}

extension Report {
  /// What a scenario is, for a reader that does not know it: another program's,
  /// or an older one's.
  package struct Description: Codable, Equatable, Sendable {
    /// Its name.
    package let scenario: String
    /// One line: what is measured.
    package let summary: String
    /// Peers that others are compared with.
    package let references: [String]
    /// What else its tables show.
    package let extras: [Scenario.Extra]
    /// What is measured, in the order it is shown in.
    package let series: [SeriesDescription]
  }

  /// What a series is.
  package struct SeriesDescription: Codable, Equatable, Sendable {
    /// Its name.
    package let name: String
    /// One line: from when to when, and over how many operations.
    package let summary: String
    /// The series whose slices record this one, too; `nil` for one of its own.
    package let companionOf: String?
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
      series: description.series.map(Series.init),
      references: description.references,
      extras: Set(description.extras),
      figures: figures
    )
  }
}

extension Series {
  /// One to be shown, not to be measured.
  fileprivate init(_ description: Report.SeriesDescription) {
    name = description.name
    summary = description.summary
    effort = Effort(warmUps: 0, samples: 1, operations: 1)
    placement = .loop
    kind = .mean
    companionOf = description.companionOf
  }
}
