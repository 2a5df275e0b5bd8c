/// Two runs, one against the other: what got better, what got worse, and what
/// cannot be told.
///
/// A peer that was measured beside a reference is judged by its ratio to that, new
/// against old: what moved the machine between the two runs moved both. The rounds
/// of two runs were not measured together, so each side's median is bootstrapped
/// by itself. Their ratio has to be past the rule's limit and past the noise that
/// either run found by measuring one peer twice.
///
/// ```swift
/// let comparison = try ReportComparison(
///   base: base, new: new, rules: [try FailRule("p99>+10%")])
/// print(comparison.render(as: .text))
/// ```
package struct ReportComparison: Codable, Equatable, Sendable {
  /// Names the shape of this value.
  package let schema: String
  /// The one verdict of all findings.
  package let verdict: Verdict
  /// The rules, as they were written.
  package let rules: [String]
  /// One for each peer in each series, and percentile that a rule speaks of.
  package let findings: [Finding]
  /// What a reader should know: what else differs between the two.
  package let notes: [String]

  /// The name of this version of the schema.
  package static let currentSchema = "loopbench-comparison/1"

  package init(rules: [String], findings: [Finding], notes: [String]) {
    schema = Self.currentSchema
    verdict = Verdict(of: findings.map(\.verdict))
    self.rules = rules
    self.findings = findings
    self.notes = notes
  }

  /// Compares two reports.
  ///
  /// - Parameters:
  ///   - rules: When it fails; with none, `FailRule.standard`.
  ///   - allowsOtherMachine: Whether reports of different machines, builds or
  ///     settings are compared all the same; then the notes say what differs.
  ///   - dropsDisturbed: Whether rounds are left out that were disturbed, also of
  ///     a report whose own comparisons have them.
  package init(
    base: Report,
    new: Report,
    rules: [FailRule] = [],
    allowsOtherMachine: Bool = false,
    dropsDisturbed: Bool = false
  ) throws(LoopbenchError) {
    try Self.check(base: base, new: new, rules: rules, allowsOtherMachine: allowsOtherMachine)
    let pairs = Self.pairs(base, new, dropping: dropsDisturbed)
    self.init(
      of: pairs,
      rules: rules,
      notes: ReportDifference.all(base, new).map(\.note)
        + Self.changes(base.machine, new.machine) + Self.unmatched(base, new)
    )
  }

  /// Judges a report by rules that need no other.
  ///
  /// - Precondition: no rule of `rules` needs a base.
  package init(
    judging new: Report,
    by rules: [FailRule],
    dropsDisturbed: Bool = false
  ) throws(LoopbenchError) {
    precondition(
      !rules.isEmpty && !rules.contains(where: \.needsBase),
      "ReportComparison: there must be rules, and all must do without a base, got \(rules)"
    )
    try Self.check(base: nil, new: new, rules: rules)
    let drops = dropsDisturbed || new.settings.dropsDisturbed
    let pairs = new.results.filter { !$0.isTwin }.map { Pair(judging: $0, drops: drops) }
    self.init(of: pairs, rules: rules, notes: [])
  }

  private init(of pairs: [Pair], rules: [FailRule], notes: [String]) {
    let used = rules.isEmpty ? FailRule.standard : rules
    let findings = pairs.flatMap { pair in
      used.filter { $0.covers(pair.new.result) }.flatMap { Finding.all(of: $0, about: pair) }
    }
    self.init(rules: used.map(\.description), findings: findings, notes: notes)
  }
}

extension ReportComparison {
  /// Throws what comparing the two would, which takes no figure: `new` may be what
  /// a run is about to measure.
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
        "the rule \(rule) speaks of nothing that both reports have"
          + Suggestion.question(rule.meant(among: common))
      )
    }
    guard !rules.isEmpty || common.contains(where: FailRule.standard[0].covers) else {
      throw .notComparable(
        "what both reports have is there to be compared with only; a rule that names a peer,"
          + " such as --fail '*/*/uv.p50>+10%', judges it all the same"
      )
    }
  }

  private static func pairs(_ base: Report, _ new: Report, dropping: Bool) -> [Pair] {
    new.results.filter { !$0.isTwin }.compactMap { result in
      base.results.first { $0.isSame(as: result) }.map { counterpart in
        Pair(counterpart, result, in: base, new, dropping: dropping)
      }
    }
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
    (known.scenario, known.series, known.peer, known.isTwin)
      == (other.scenario, other.series, other.peer, other.isTwin)
  }

  /// `wake/across/uv`.
  package var path: String { "\(known.scenario)/\(known.series)/\(known.peer)" }
}

extension ReportComparison {
  /// How many fresh processes have to show a regression again.
  ///
  /// Where the system puts a program's code and heap differs from process to
  /// process, and with it what a loop costs: `post/typed.self` takes 6.9 ns an item
  /// in one half of them and 12.3 ns in the other, in all rounds. Of 20 runs of one
  /// program, each against the others, 30 % failed in `post`; seen again once 14 %,
  /// twice 6 %, three times 3 %, four times 1.7 %, five times 1 %.
  package static let confirmations = 6

  /// What looks slower, and has to be seen again to count.
  package var candidates: [Finding] { findings.filter { $0.verdict == .regressed } }

  /// The same, but of what looks slower only what is past its rule's limit and
  /// past noise in `other`, too. Past it, not beyond doubt: that all of several
  /// processes leave no doubt is rare even of what is 20 % slower.
  ///
  /// - Parameters:
  ///   - other: Of the same base and a run of a fresh process.
  ///   - used: The rules of both; with none, `FailRule.standard`.
  package func confirmed(by other: ReportComparison, rules used: [FailRule] = []) -> Self {
    let used = used.isEmpty ? FailRule.standard : used
    let findings = findings.map { finding -> Finding in
      guard finding.verdict == .regressed else { return finding }
      let counterpart = other.findings.first { $0.isSame(as: finding) }
      var finding = finding
      finding.again = (finding.again ?? []) + (counterpart?.new.map { [$0] } ?? [])
      let rule = used.first { $0.description == finding.rule }
      if let rule, let counterpart, rule.isPassed(by: counterpart) { return finding }
      finding.verdict = .inconclusive
      finding.reason = "it looked slower, and a fresh process did not show it again"
      return finding
    }
    return ReportComparison(rules: rules, findings: findings, notes: notes)
  }
}

extension FailRule {
  fileprivate func isPassed(by finding: ReportComparison.Finding) -> Bool {
    switch limit {
    case .increase(let part):
      (finding.ratio ?? 0) > Swift.max(1 + part, finding.noise?.high ?? 1)
        && Self.isFollowed(part, from: finding.base ?? 0, to: finding.new ?? 0)
    case .time(let limit): finding.new.map { $0 > limit } ?? false
    case .count(let limit): finding.new.map { $0 > Double(limit) } ?? false
    }
  }
}

extension FailRule {
  /// Whether a peer's own time followed its ratio to a reference: otherwise it is
  /// the reference that changed.
  ///
  /// By half: of 20 runs of one program, each against the others, 7 % failed in
  /// `commit` without this, because one base had a slow reference; none with it.
  static func isFollowed(_ part: Double, from base: Double, to new: Double) -> Bool {
    new > base * (1 + part / 2)
  }
}

extension ReportComparison.Finding {
  /// `wake/across/lt p50`.
  package var name: String { "\(scenario)/\(series)/\(peer) \(metric)" }

  fileprivate func isSame(as other: Self) -> Bool {
    (name, rule) == (other.name, other.rule)
  }
}
