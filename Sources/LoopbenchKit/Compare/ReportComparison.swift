/// Two runs, one against the other: what got better, what got worse, and what
/// can not be told.
///
/// The rounds of two runs were not measured together, so each side's median is
/// bootstrapped by itself, and their ratio judged. It has to be past the rule's
/// limit and past the noise that either run found by measuring one peer twice.
///
/// ```swift
/// let comparison = try ReportComparison(
///   base: base, new: new, rules: [try FailRule("p99>+10%")])
/// print(comparison.render(as: .text))
/// ```
public struct ReportComparison: Codable, Equatable, Sendable {
  /// Names the shape of this value.
  public let schema: String
  /// The one verdict of all findings.
  public let verdict: Verdict
  /// The rules, as they were written.
  public let rules: [String]
  /// One for each peer in each series, and percentile that a rule speaks of.
  public let findings: [Finding]
  /// What a reader should know: what else differs between the two.
  public let notes: [String]

  /// The name of this version of the schema.
  public static let currentSchema = "loopbench-comparison/1"

  /// Compares two reports.
  ///
  /// - Parameters:
  ///   - rules: When it fails; with none, `FailRule.standard`.
  ///   - allowsOtherMachine: Whether reports of different machines, builds or
  ///     settings are compared all the same; then the notes say what differs.
  ///   - dropsDisturbed: Whether rounds are left out that were disturbed, also of
  ///     a report whose own comparisons have them.
  public init(
    base: Report,
    new: Report,
    rules: [FailRule] = [],
    allowsOtherMachine: Bool = false,
    dropsDisturbed: Bool = false
  ) throws(ComparisonError) {
    let differences = ComparisonError.differences(base, new)
    if let first = differences.first, !allowsOtherMachine { throw first }
    let pairs = Self.pairs(base, new, dropping: dropsDisturbed)
    guard !pairs.isEmpty else { throw .nothingInCommon }
    let used = rules.isEmpty ? FailRule.standard : rules
    for rule in used where !pairs.contains(where: { rule.covers($0.new) }) {
      throw .ruleWithoutResult(rule.description)
    }
    schema = Self.currentSchema
    self.rules = used.map(\.description)
    findings = pairs.flatMap { pair in
      used.filter { $0.covers(pair.new) }.flatMap { Finding.all(of: $0, about: pair) }
    }
    verdict = Verdict(of: findings.map(\.verdict))
    notes =
      differences.map(\.difference) + Self.changes(base.machine, new.machine)
      + Self.unmatched(base, new)
  }
}

extension ReportComparison {
  /// A result of both reports, and what is noise there.
  package struct Pair {
    package let base: Report.Result
    package let new: Report.Result
    /// By percentile: what either report found by measuring one peer twice.
    package let noise: [String: Interval]
    package let baseDrops: Bool
    package let newDrops: Bool
  }

  private static func pairs(_ base: Report, _ new: Report, dropping: Bool) -> [Pair] {
    new.results.filter { !$0.isTwin }.compactMap { result in
      base.results.first { $0.isSame(as: result) }.map { counterpart in
        Pair(
          base: counterpart,
          new: result,
          noise: noise(about: result, in: [base, new]),
          baseDrops: dropping || base.settings.dropsDisturbed,
          newDrops: dropping || new.settings.dropsDisturbed
        )
      }
    }
  }

  private static func noise(
    about result: Report.Result,
    in reports: [Report]
  ) -> [String: Interval] {
    let found = reports.flatMap(\.noise).filter {
      ($0.scenario, $0.series) == (result.scenario, result.series)
    }
    return Dictionary(found.map { ($0.percentile, $0.interval.mirrored) }) { $0.union($1) }
  }

  /// What may differ, because it may be what is compared.
  private static func changes(_ base: Machine, _ new: Machine) -> [String] {
    let fields: [(String, KeyPath<Machine, String>)] = [
      ("system", \.os), ("libuv", \.libuv), ("Swift", \.swift),
    ]
    return fields.compactMap { name, field in
      base[keyPath: field] == new[keyPath: field]
        ? nil : "\(name) is \(base[keyPath: field]) in the base and \(new[keyPath: field]) now"
    }
  }

  private static func unmatched(_ base: Report, _ new: Report) -> [String] {
    let (old, now) = (base.results.filter { !$0.isTwin }, new.results.filter { !$0.isTwin })
    let gone = old.filter { result in !now.contains { $0.isSame(as: result) } }
    let added = now.filter { result in !old.contains { $0.isSame(as: result) } }
    return named(gone, "in the base only") + named(added, "new")
  }

  /// A few by name, more by number.
  private static func named(_ results: [Report.Result], _ what: String) -> [String] {
    guard results.count > 3 else { return results.map { "\($0.path) is \(what)" } }
    return ["\(results.count) results are \(what): \(results[0].path) and others"]
  }
}

extension Report.Result {
  package func isSame(as other: Report.Result) -> Bool {
    (scenario, series, peer, isTwin) == (other.scenario, other.series, other.peer, other.isTwin)
  }

  /// `wake/across/uv`.
  package var path: String { "\(scenario)/\(series)/\(peer)" }
}
