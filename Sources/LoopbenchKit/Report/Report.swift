/// What a run found: the value behind every output format.
///
/// Its JSON is the schema `loopbench/1`; all times are in ns.
public struct Report: Codable, Equatable, Sendable {
  /// Names the shape of this value.
  public let schema: String
  /// The program that measured.
  public let tool: Tool
  /// How it was called.
  public let argv: [String]
  /// What decided the order of the contenders and the phases of the load.
  public let seed: UInt64
  /// What the caller called it by: `--label commit=1a2b3c`.
  public let labels: [String: String]
  /// What it ran on.
  public let machine: Machine
  /// How it measured.
  public let settings: Settings
  /// What the scenarios are; `nil` in a report of before there was this.
  public let descriptions: [Description]?
  /// Every recorded round, with its order.
  public let rounds: [RoundSummary]
  /// One for each peer in each series.
  public internal(set) var results: [Result]
  /// Peers against references.
  public internal(set) var comparisons: [Comparison]
  /// What measuring one peer twice gave, by scenario, series and percentile.
  public internal(set) var noise: [Noise]
  /// What a reader should know before believing a figure.
  public internal(set) var warnings: [Warning]

  /// The name of this version of the schema.
  public static let currentSchema = "loopbench/1"
}

extension Report {
  /// The program that measured.
  public struct Tool: Codable, Equatable, Sendable {
    /// Its name.
    public let name: String
    /// Its version.
    public let version: String

    /// Makes a tool.
    public init(name: String, version: String) {
      self.name = name
      self.version = version
    }

    /// This one.
    public static let loopbench = Tool(name: "loopbench", version: "0.1.0")
  }

  /// How a run measured.
  public struct Settings: Codable, Equatable, Sendable {
    /// Recorded rounds.
    public let rounds: Int
    /// How a round orders its contenders.
    public let order: String
    /// What is not recorded.
    public let warmUp: String
    /// How many rounds were not recorded.
    public let warmUpRounds: Int
    /// Whether comparisons and noise leave disturbed rounds out.
    public let dropsDisturbed: Bool
    /// Where the threads sat.
    public let placement: Placement
    /// How often the open-loop series started an operation.
    public let pace: Pace
    /// What the machine was asked for; `nil` for nothing beside its default.
    public let conditions: Conditions?
    /// What measuring costs, measured before the first round.
    public let overhead: Overhead
    /// The scenarios that were measured.
    public let scenarios: [String]
    /// The peers that were measured.
    public let peers: [String]
  }
}

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
