import LoopbenchKit

// Goes with Pending.swift: medians against medians, without intervals.

enum Verdict: Sendable {
  case improved
  case unchanged
  case regressed
  case inconclusive
}

struct ComparisonError: Error, CustomStringConvertible {
  let description: String
}

struct FailRuleError: Error, CustomStringConvertible {
  let text: String

  var description: String { "\"\(text)\" is no rule: it needs METRIC>LIMIT, such as p99>+10%" }
}

struct FailRule: Sendable {
  let percentile: String
  let limit: Double

  init(_ text: String) throws(FailRuleError) {
    let parts = text.split(separator: ">", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[1].hasPrefix("+"), parts[1].hasSuffix("%"),
      let percent = Double(parts[1].dropFirst().dropLast())
    else { throw FailRuleError(text: text) }
    percentile = parts[0] == "any" ? "50" : String(parts[0].drop { !$0.isNumber })
    limit = 1 + percent / 100
  }
}

struct ReportComparison {
  private let ratios: [(name: String, ratio: Double)]
  private let limit: Double

  init(
    base: Report,
    new: Report,
    rules: [FailRule],
    allowsOtherMachine: Bool
  ) throws(ComparisonError) {
    guard base.machine.cpu == new.machine.cpu || allowsOtherMachine else {
      throw ComparisonError(description: "the baseline is of another machine; or: --force")
    }
    limit = rules.map(\.limit).min() ?? 1.1
    ratios = new.results.compactMap { result in
      let old = base.results.first {
        ($0.scenario, $0.series, $0.peer) == (result.scenario, result.series, result.peer)
      }
      guard let before = old?.percentiles["50"], let after = result.percentiles["50"], before > 0
      else { return nil }
      return ("\(result.scenario) \(result.series) \(result.peer)", after / before)
    }
    guard !ratios.isEmpty else {
      throw ComparisonError(description: "the baseline has nothing that was measured now")
    }
  }

  var verdict: Verdict {
    ratios.contains { $0.ratio > limit } ? .regressed : .unchanged
  }

  func render(as format: ReportFormat, style: ReportStyle) -> String {
    ratios.map { "\($0.name): p50 \($0.ratio)x\n" }.joined()
  }
}

struct BaselineStore {
  private let folder: String

  init(folder: String) { self.folder = folder }

  func save(_ report: Report, as name: String) throws {
    try OutputFile(path: path(name)).finish(with: JSONReport.render(report))
  }

  func list() throws -> [String] { [] }

  func load(_ name: String) throws -> Report { try ReportFile.read(path(name)) }

  func remove(_ name: String) throws {}

  private func path(_ name: String) -> String { "\(folder)/\(name).json" }
}
