import LoopTransactions

/// A comparison of two runs: improvements, regressions and inconclusive results.
///
/// A peer that was measured together with a reference is judged by its ratio to the
/// reference, because a change of the machine between two runs affects peer and
/// reference alike. The rounds of two runs are not paired, so the median of each
/// run is bootstrapped separately. A change counts if the ratio of the two medians
/// exceeds both the rule's limit and the noise that either run found by measuring
/// one peer twice.
///
/// ```swift
/// let comparison = try ReportComparison(
///   base: base, new: new, rules: [try FailRule("p99>+10%")])
/// print(comparison.render(as: .text))
/// ```
package struct ReportComparison: Codable, Equatable, Sendable {
  /// The name of this value's schema.
  package let schema: String
  /// The worst verdict of all findings.
  package let verdict: Verdict
  /// The texts of the rules.
  package let rules: [String]
  /// One finding for each peer in each series and each percentile of a rule.
  package let findings: [Finding]
  /// Other differences between the two runs.
  package let notes: [String]

  /// The name of the current schema.
  package static let currentSchema = "loopbench-comparison/1"

  private init(rules: [String], findings: [Finding], notes: [String]) {
    schema = Self.currentSchema
    verdict = Verdict(of: findings.map(\.verdict))
    self.rules = rules
    self.findings = findings
    self.notes = notes
  }

  /// Compares two reports, or judges one.
  ///
  /// - Parameters:
  ///   - base: The report to compare with. May be nil if no rule needs a base.
  ///   - rules: The rules. An empty array means `FailRule.standard`.
  ///   - allowsOtherMachine: Whether to compare reports of different machines,
  ///     builds or settings. The notes then list the differences.
  package init(
    base: Report?,
    new: Report,
    rules: [FailRule] = [],
    allowsOtherMachine: Bool = false
  ) throws(LoopbenchError) {
    try Self.check(base: base, new: new, rules: rules, allowsOtherMachine: allowsOtherMachine)
    let used = rules.isEmpty ? FailRule.standard : rules
    require(
      base != nil || !used.contains(where: \.needsBase),
      "ReportComparison: without a base, rules must limit a time or a count, got \(used)"
    )
    let findings = Self.pairs(base, new).flatMap { pair in
      used.filter { $0.covers(pair.new.result) }.flatMap { Finding.all(of: $0, about: pair) }
    }
    let notes = base.map { Self.notes($0, new) } ?? []
    self.init(rules: used.map(\.description), findings: findings, notes: notes)
  }
}

extension ReportComparison {
  /// Throws the same error as a comparison of the two reports.
  ///
  /// Does not read any times, so `new` may be the plan of a run that has not been
  /// measured yet.
  package static func check(
    base: Report?,
    new: Report,
    rules: [FailRule],
    allowsOtherMachine: Bool = false
  ) throws(LoopbenchError) {
    if let base, let first = ReportDifference.all(base, new).first, !allowsOtherMachine {
      throw .notComparable(first.refusal)
    }
    let common = new.results.filter { result in
      !result.isTwin && base?.results.contains { $0.isSame(as: result) } ?? true
    }
    guard !common.isEmpty else {
      throw .notComparable("the two reports have no scenario, series and peer in common")
    }
    for rule in rules where !common.contains(where: rule.covers) {
      throw .notComparable(
        "the rule \(rule) covers nothing that both reports contain"
          + Suggestion.question(rule.meant(among: common))
      )
    }
    guard !rules.isEmpty || common.contains(where: FailRule.standard[0].covers) else {
      throw .notComparable(
        "both reports contain only references, which are judged only by a rule that names them,"
          + " such as --fail '*/*/uv.p50>+10%'"
      )
    }
  }

  private static func pairs(_ base: Report?, _ new: Report) -> [Pair] {
    new.results.filter { !$0.isTwin }.compactMap { result in
      let counterpart = base?.results.first { $0.isSame(as: result) }
      return base != nil && counterpart == nil
        ? nil : Pair(counterpart, result, in: base, new)
    }
  }

  private static func notes(_ base: Report, _ new: Report) -> [String] {
    // These versions may differ, because their effect may be the purpose of the
    // comparison.
    let versions = ReportDifference.sentences([
      ("system", base.machine.os, new.machine.os),
      ("libuv", base.machine.libuv, new.machine.libuv),
      ("Swift", base.machine.swift, new.machine.swift),
    ])
    let (old, now) = (base.results.filter { !$0.isTwin }, new.results.filter { !$0.isTwin })
    let gone = old.filter { result in !now.contains { $0.isSame(as: result) } }
    let added = now.filter { result in !old.contains { $0.isSame(as: result) } }
    return ReportDifference.all(base, new).map(\.note) + versions
      + listed(gone, "in the base only") + listed(added, "new")
  }

  /// Names up to three results. If there are more, states their number and names
  /// the first.
  private static func listed(_ results: [Report.Result], _ what: String) -> [String] {
    guard results.count > 3 else { return results.map { "\($0.path) is \(what)" } }
    return ["\(results.count) results are \(what): \(results[0].path) and others"]
  }
}

extension Report.Result {
  package func isSame(as other: Report.Result) -> Bool {
    (known.scenario, known.series, known.peer, known.isTwin)
      == (other.scenario, other.series, other.peer, other.isTwin)
  }

  /// `wake/across/uv`.
  package var path: String { "\(known.scenario)/\(known.series)/\(known.peer)" }
}

extension ReportComparison {
  /// The number of fresh processes that must confirm a regression.
  ///
  /// The addresses of code and heap differ between processes, which affects the cost
  /// of a loop: `post/typed.self` takes 6.9 ns per item in all rounds of half of the
  /// processes, and 12.3 ns in all rounds of the other processes. 20 runs of one
  /// program were compared with each other. Without a confirmation, 30 % of these
  /// comparisons failed in `post`. With 1, 2, 3, 4 and 5 confirmations, 14 %, 6 %, 3
  /// %, 1.7 % and 1 % failed.
  package static let confirmations = 6

  /// The regressions. They do not count until they are confirmed.
  package var candidates: [Finding] { findings.filter { $0.verdict == .regressed } }

  /// Returns this comparison without the regressions that `other` does not confirm.
  ///
  /// `other` confirms a regression if its median exceeds the rule's limit and the
  /// noise. Its interval need not exceed them: even if the peer is 20 % slower, the
  /// intervals of several processes rarely all exceed both.
  ///
  /// - Parameters:
  ///   - other: The comparison of a fresh process's run with the same base.
  ///   - used: The rules of both comparisons. An empty array means
  ///     `FailRule.standard`.
  package func confirmed(by other: ReportComparison, rules used: [FailRule] = []) -> Self {
    let used = used.isEmpty ? FailRule.standard : used
    let findings = findings.map { finding -> Finding in
      guard finding.verdict == .regressed else { return finding }
      let counterpart = other.findings.first { ($0.name, $0.rule) == (finding.name, finding.rule) }
      var finding = finding
      finding.again = (finding.again ?? []) + (counterpart?.new.map { [$0] } ?? [])
      let rule = used.first { $0.description == finding.rule }
      if let rule, let counterpart, rule.isExceeded(by: counterpart) { return finding }
      finding.verdict = .inconclusive
      finding.reason = "it looked slower, but a fresh process did not confirm it"
      return finding
    }
    return ReportComparison(rules: rules, findings: findings, notes: notes)
  }
}

extension FailRule {
  fileprivate func isExceeded(by finding: ReportComparison.Finding) -> Bool {
    let new = finding.new ?? 0
    return switch limit {
    case .increase(let part):
      (finding.ratio ?? 0) > Swift.max(1 + part, finding.noise?.high ?? 1)
        && Self.isFollowed(part, from: finding.base ?? 0, to: new)
    case .time(let limit): new > limit
    case .count(let limit): new > Double(limit)
    }
  }

  /// Whether a peer's own time changed along with its ratio to a reference. If it
  /// did not, only the reference changed.
  ///
  /// The time must change by at least half of the allowed increase. When 20 runs of
  /// one program were compared with each other, 7 % of the comparisons failed in
  /// `commit` without this check, because one base had a slow reference. With the
  /// check, no comparison failed.
  static func isFollowed(_ part: Double, from base: Double, to new: Double) -> Bool {
    new > base * (1 + part / 2)
  }
}

extension ReportComparison.Finding {
  /// `wake/across/lt p50`.
  package var name: String { "\(scenario)/\(series)/\(peer) \(metric)" }
}
