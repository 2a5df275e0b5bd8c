private import FoundationEssentials

/// Renders a line of JSON for each peer in each series: a result as in
/// `loopbench/1`, with the run's seed and labels, so that lines of several runs
/// can be told apart.
enum NDJSONReport {
  static func render(_ report: Report) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return report.results.reduce(into: "") { text, result in
      let line = Line(result: result, seed: report.seed, labels: report.labels)
      do {
        text += String(decoding: try encoder.encode(line), as: UTF8.self) + "\n"
      } catch {
        preconditionFailure("NDJSONReport: a report holds only finite numbers, got \(error)")
      }
    }
  }

  private struct Line: Encodable {
    let result: Report.Result
    let seed: UInt64
    let labels: [String: String]

    private enum Key: CodingKey {
      case seed
      case labels
    }

    func encode(to encoder: any Encoder) throws {
      try result.encode(to: encoder)
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(seed, forKey: .seed)
      try container.encode(labels, forKey: .labels)
    }
  }
}
