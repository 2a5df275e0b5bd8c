import LoopbenchKit

/// The text of `loopbench list`.
package struct ListText {
  private let registry: Registry
  private let externals: [(name: String, summary: String)]
  private let extras: [ExtraCommand]
  private let isJSON: Bool
  private let programName: String

  package enum Topic: String, CaseIterable, Sendable {
    case scenarios
    case peers
    case metrics
    case formats
    case commands
  }

  package init(_ context: Context, isJSON: Bool) {
    registry = context.registry
    let own = context.ownNames
    extras = context.extraCommands
    let others = ExternalCommand.all(in: context.folders).filter { name in
      !ExternalCommand.isNamed(name, context.programName)
        && !context.watchCommand.contains { $0.name == name }
    }
    externals =
      context.watchCommand
      + others.map { name in
        let note =
          own.contains(name)
          ? "; run it by that name, because \(name) is \(context.programName)'s own" : ""
        return (name, "the program loopbench-\(name)" + note)
      }
    self.isJSON = isJSON
    programName = context.programName
  }

  /// - Parameter topic: The name of the topic. Nil lists all topics.
  package func render(_ topic: String?) -> String {
    let topics = topic.flatMap(Topic.init).map { [$0] } ?? Topic.allCases
    guard isJSON else { return String(blocks: topics.map(lines)) }
    let pairs = topics.map { ($0.rawValue, entries($0)) }
    return Dictionary(uniqueKeysWithValues: pairs).json()
  }

  private func lines(_ topic: Topic) -> [String] {
    let title = topic.rawValue.prefix(1).uppercased() + topic.rawValue.dropFirst()
    let rows = entries(topic).map { (name: $0.name, summary: $0.summary) }
    let note = topic == .peers ? ["\(programName) help SCENARIO describes each of its peers."] : []
    return ["\(title):"] + Layout.rows(rows) + note
  }
}

extension ListText {
  private struct Entry: Encodable {
    let name: String
    let summary: String
    /// For a peer, the scenarios in which it can be measured.
    var scenarios: [String]?
    /// For a peer, its implementation in each of these scenarios.
    var implementations: [String: String]?
    /// For a peer, the reason why it cannot be measured on this machine.
    var unavailability: String?
  }

  private func entries(_ topic: Topic) -> [Entry] {
    switch topic {
    case .scenarios:
      registry.scenarios.map { Entry(name: $0.name, summary: $0.listing) }
    case .peers: registry.peerNames.map(peer)
    case .metrics:
      registry.scenarios.flatMap { scenario in
        scenario.series.map { Entry(name: "\(scenario.name)/\($0.name)", summary: $0.summary) }
      }
    case .formats: ReportFormat.allCases.map { Entry(name: $0.rawValue, summary: $0.summary) }
    case .commands:
      Command.table(in: registry).map { Entry(name: $0.name.rawValue, summary: $0.summary) }
        + extras.map { Entry(name: $0.name, summary: $0.summary) }
        + externals.map { Entry(name: $0.name, summary: $0.summary) }
    }
  }

  private func peer(_ name: String) -> Entry {
    let peers = registry.peers.filter { $0.name == name }
    let scenarios = peers.map(\.scenario)
    let isStandard = peers.contains { $0.isStandard }
    let unavailability = peers.lazy.compactMap(\.unavailability).first
    let notes = [
      "in "
        + peers.map { $0.scenario + (isStandard && !$0.isStandard ? " (only if named)" : "") }
        .joined(separator: ", "),
      isStandard ? nil : "only if named",
      unavailability.map { "not available: \($0)" },
    ]
    return Entry(
      name: name,
      summary: notes.compactMap { $0 }.joined(separator: "; "),
      scenarios: scenarios,
      implementations: Dictionary(
        peers.map { ($0.scenario, $0.summary) },
        uniquingKeysWith: { first, _ in first }
      ),
      unavailability: unavailability
    )
  }
}

extension Scenario {
  /// The summary. It ends with a note if the scenario does not run unless it is
  /// named.
  var listing: String { summary + (isStandard ? "" : "; only if named") }
}

extension ReportFormat {
  fileprivate var summary: String {
    switch self {
    case .text: "tables for people"
    case .markdown: "the same tables as Markdown"
    case .json: "the full result, schema loopbench/1"
    case .csv: "one line for each peer in each series"
    }
  }
}
