/// When a comparison fails: `p99>+10%`, `wake.p50>25us`, `any>+15%`, `missed>0`.
///
/// Before the metric a scenario may be named, after it a series, then a peer:
/// `wake/across/lt.p50>+10%`; `*` names none. What is there to be compared with,
/// and a series that is recorded along with another, are judged only by a rule
/// that names them: they are not what somebody changed, or say the same again.
///
/// ```swift
/// let rule = try FailRule("wake.p50>25us")
/// ```
package struct FailRule: Equatable, Sendable, CustomStringConvertible {
  /// What is looked at.
  package enum Metric: Equatable, Sendable {
    /// One percentile.
    case percentile(Percentile)
    /// Every percentile that a report has.
    case any
    /// Operations that missed their schedule.
    case missed
  }

  /// What is too much.
  package enum Limit: Equatable, Sendable {
    /// More than the base by this part: 0.1 is 10 %.
    case increase(Double)
    /// A time, in ns; the base does not matter.
    case time(Double)
    /// A count; the base does not matter.
    case count(UInt64)
  }

  /// As it was written.
  package let description: String
  /// Scenario, series and peer; `nil` is any.
  package let scope: (scenario: String?, series: String?, peer: String?)
  /// What is looked at.
  package let metric: Metric
  /// What is too much.
  package let limit: Limit

  /// Two rules that were written the same are the same.
  package static func == (one: FailRule, other: FailRule) -> Bool {
    one.description == other.description
  }

  /// What a comparison looks at when no rule is given.
  ///
  /// Not p99: a round has 30 to 500 samples, of which it is one of the five
  /// largest. Of 8 runs of one program, each against the others, it was
  /// inconclusive in 97 % of `wake`, p90 in 79 %.
  package static let standard: [FailRule] = [
    FailRule(.percentile(.p50), increase: 10),
    FailRule(.percentile(.p90), increase: 25),
  ]

  private init(_ metric: Metric, increase percent: Int) {
    let name = if case .percentile(let percentile) = metric { percentile.title } else { "any" }
    description = "\(name)>+\(percent)%"
    scope = (nil, nil, nil)
    self.metric = metric
    limit = .increase(Double(percent) / 100)
  }
}

extension FailRule {
  /// Reads a rule.
  ///
  /// - Throws: `LoopbenchError`, which says what is expected.
  package init(_ text: String) throws(LoopbenchError) {
    let text = String(text.filter { $0 != " " })
    let sides = text.split(separator: ">", omittingEmptySubsequences: false)
    guard sides.count == 2 else {
      let needs = "it needs METRIC>LIMIT, such as p99>+10% or wake.p50>25us"
      throw .usage("\"\(text)\" is no rule: \(needs)")
    }
    let (scope, metric) = try Self.subject(of: sides[0], in: text)
    description = text
    self.scope = try Self.scope(scope, in: text)
    self.metric = metric
    limit = try Self.limit(sides[1], for: metric, in: text)
  }

  /// A metric may have a point in it (p99.9), and so may a series: the metric is
  /// the longest ending that is one.
  private static func subject(
    of side: Substring,
    in text: String
  ) throws(LoopbenchError) -> (scope: Substring, metric: Metric) {
    if let metric = metric(side) { return ("", metric) }
    for point in side.indices where side[point] == "." {
      if let metric = metric(side[side.index(after: point)...]) { return (side[..<point], metric) }
    }
    let metrics = (Percentile.standard.map(\.title) + ["any"]).joined(separator: ", ")
    throw .usage("\"\(text)\" names no metric: before \">\" goes \(metrics) or missed")
  }

  private static func metric(_ text: Substring) -> Metric? {
    switch text {
    case "any": .any
    case "missed": .missed
    default: Percentile.standard.first { $0.title == text }.map { .percentile($0) }
    }
  }

  private static func scope(
    _ text: Substring,
    in rule: String
  ) throws(LoopbenchError) -> (String?, String?, String?) {
    guard !text.isEmpty else { return (nil, nil, nil) }
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count <= 3, !parts.contains("") else {
      let scopes = "SCENARIO, SCENARIO/SERIES or SCENARIO/SERIES/PEER"
      throw .usage("\"\(rule)\" is no rule: before the metric goes \(scopes)")
    }
    let names = parts.map { $0 == "*" ? nil : String($0) } + [nil, nil]
    return (names[0], names[1], names[2])
  }
}

extension FailRule {
  private static func limit(
    _ text: Substring,
    for metric: Metric,
    in rule: String
  ) throws(LoopbenchError) -> Limit {
    let limit: Limit? =
      if metric == .missed {
        UInt64(text).map { .count($0) }
      } else if text.hasPrefix("+"), text.hasSuffix("%") {
        number(text.dropFirst().dropLast()).map { .increase($0 / 100) }
      } else {
        time(text).map { .time($0) }
      }
    if let limit { return limit }
    let limits =
      metric == .missed
      ? "a whole number, such as missed>0" : "+10% (more than the base) or a time (25us)"
    throw .usage("\"\(rule)\" has no limit: after \">\" goes \(limits)")
  }

  private static func time(_ text: Substring) -> Double? {
    let units: [(String, Double)] = [("ns", 1), ("us", 1e3), ("ms", 1e6), ("s", 1e9)]
    guard let (name, size) = units.first(where: { text.hasSuffix($0.0) }) else { return nil }
    return number(text.dropLast(name.count)).map { $0 * size }
  }

  /// Digits, perhaps with a point in them: no sign, no exponent, no infinity.
  private static func number(_ text: Substring) -> Double? {
    guard text.first?.isNumber ?? false, text.allSatisfy({ $0 == "." || $0.isASCII && $0.isNumber })
    else { return nil }
    return Double(text)
  }
}

extension FailRule {
  /// Whether it speaks of `result`.
  package func covers(_ result: Report.Result) -> Bool {
    scope.scenario ?? result.scenario == result.scenario
      && scope.series.map { $0 == result.series } ?? !result.isCompanion
      && scope.peer.map { $0 == result.peer } ?? !(result.isReference ?? false)
  }

  /// The percentiles it looks at.
  package var percentiles: [Percentile] {
    switch metric {
    case .percentile(let percentile): [percentile]
    case .any: Percentile.standard
    case .missed: []
    }
  }

  /// Whether it says how a run may differ from another.
  package var needsBase: Bool {
    if case .increase = limit { true } else { false }
  }

  /// The rule that may have been meant, by what was measured: a series stands
  /// after a slash, as it may have points itself.
  package func meant(among results: [Report.Result]) -> String? {
    let parts = [scope.scenario, scope.series, scope.peer].compactMap { $0 }
    let known = results.flatMap {
      [$0.scenario, "\($0.scenario)/\($0.series)", $0.path]
    }
    let given = parts.joined(separator: "/")
    let dotted = known.first { $0.split(separator: "/").joined(separator: ".") == given }
    guard description.hasPrefix(given),
      let meant = dotted ?? Suggestion.nearest(to: given, in: known), meant != given
    else { return nil }
    return meant + description.dropFirst(given.count)
  }
}

extension Report.Result {
  /// Whether it was recorded along with another series. A generator's lag always
  /// is, also in files that do not say.
  fileprivate var isCompanion: Bool { known.companionOf != nil || known.kind == .lag }
}
