/// The result of a run, which every output format renders.
///
/// Its JSON has the schema `loopbench/1`. All times are in ns.
package struct Report: Codable, Equatable, Sendable {
  /// The name of this value's schema.
  package let schema: String
  /// The program that made the report.
  package let tool: Tool
  /// The arguments of the program.
  package let argv: [String]
  /// The seed that determines the order of the contenders and the load.
  package let seed: UInt64
  /// The labels of the run: `--label commit=1a2b3c`.
  package let labels: [String: String]
  /// The machine that measured.
  package let machine: Machine
  /// The settings of the run.
  package let settings: Settings
  /// The descriptions of the scenarios.
  package let descriptions: [Description]
  /// The recorded rounds. Each contains the order of its contenders.
  package let rounds: [RoundSummary]
  /// One result for each peer in each series.
  package internal(set) var results: [Result]
  /// The comparisons of peers with references.
  package internal(set) var comparisons: [Comparison]
  /// The noise floors by scenario, series and percentile.
  package internal(set) var noise: [Noise]
  /// Warnings about the validity of the results.
  package internal(set) var warnings: [Warning]

  /// The name of the current schema.
  package static let currentSchema = "loopbench/1"
}

extension Report {
  /// A program that makes reports.
  package struct Tool: Codable, Equatable, Sendable {
    /// Its name.
    package let name: String
    /// Its version.
    package let version: String

    /// This program.
    package static let loopbench = Tool(name: "loopbench", version: "0.1.0")
  }

  /// The settings of a run.
  package struct Settings: Codable, Equatable, Sendable {
    /// The number of recorded rounds.
    package let rounds: Int
    /// The order of the contenders in a round: always `shuffle`.
    package let order: String
    /// A description of the warm-up.
    package let warmUp: String
    /// The number of rounds that were not recorded.
    package let warmUpRounds: Int
    /// The CPUs of the threads.
    package let placement: Placement
    /// The schedule of the open-loop series.
    package let pace: Pace
    /// The background load, as given on the command line: `cpu:2`. Nil if there was none.
    package let load: String?
    /// The overhead of a sample, measured before the first round.
    package let overhead: Overhead
    /// The names of the measured scenarios.
    package let scenarios: [String]
    /// The names of the measured peers.
    package let peers: [String]
  }
}

extension Report {
  /// The description of a scenario, for programs and versions of `loopbench` that do
  /// not know the scenario.
  package struct Description: Codable, Equatable, Sendable {
    /// Its name.
    package let scenario: String
    /// One line about the measured operation.
    package let summary: String
    /// The names of the peers that other peers are compared with.
    package let references: [String]
    /// The names of the peers that do the work without a loop. They are not judged.
    package let floors: [String]
    /// The measured peers.
    package let peers: [PartDescription]
    /// The additional columns of its tables.
    package let extras: [Scenario.Extra]
    /// The series, in the order of the tables.
    package let series: [PartDescription]
    /// The columns of its table of figures. Nil if it has none.
    package let figures: [FigureDescription]?
  }

  /// The description of a figure.
  package struct FigureDescription: Codable, Equatable, Sendable {
    /// Its key in a result.
    package let name: String
    /// The column's title.
    package let title: String
    /// The explanation of the column. Empty if there is none.
    package let summary: String
    /// The factor that the table applies.
    package let scale: Double
    /// The number of decimal places in the table.
    package let digits: Int

    fileprivate init(_ figure: Figure) {
      (name, title, summary) = (figure.name, figure.title, figure.summary)
      (scale, digits) = (figure.scale, figure.digits)
    }

    /// The value as the table shows it.
    func text(_ value: Double?) -> String {
      value.map { Decimals.text($0 * scale, digits: digits) } ?? "-"
    }
  }

  /// The description of a peer or a series.
  package struct PartDescription: Codable, Equatable, Sendable {
    /// Its name.
    package let name: String
    /// One line about the peer's implementation, or about the start and the end of the
    /// measured time.
    package let summary: String
    /// The other series whose slices also record this series. Nil for a peer, and for a
    /// series with slices of its own.
    package var companionOf: String?
  }

  /// The noise of a series' median.
  func noise(in scenario: String, _ series: String) -> Noise? {
    noise.first {
      ($0.scenario, $0.series, $0.percentile) == (scenario, series, Percentile.p50.label)
    }
  }

  /// The description of the scenario `name`, which is empty in a damaged report.
  func description(of name: String) -> Description {
    descriptions.first { $0.scenario == name }
      ?? Description(of: Scenario(name: name, summary: "", series: []), peers: [])
  }
}

extension Report.Description {
  init(of scenario: Scenario, peers: [any Peer]) {
    self.scenario = scenario.name
    self.peers = peers.map { Report.PartDescription(name: $0.name, summary: $0.summary) }
    summary = scenario.summary
    references = scenario.references
    floors = scenario.floors
    extras = Scenario.Extra.allCases.filter(scenario.extras.contains)
    series = scenario.series.map {
      Report.PartDescription(name: $0.name, summary: $0.summary, companionOf: $0.companionOf)
    }
    figures = scenario.figures.isEmpty ? nil : scenario.figures.map { Report.FigureDescription($0) }
  }
}
