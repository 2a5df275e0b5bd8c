/// A limit. `loopbench` fails if a comparison exceeds it: `p99>+10%`,
/// `wake.p50>25us`, `any>+15%`, `missed>0`.
///
/// A scope before the metric names a scenario, a series and a peer:
/// `wake/across/lt.p50>+10%`. A `*` in the scope matches any name. A rule applies
/// to a reference only if it names that peer, and to a series that is recorded
/// along with another series only if it names that series.
///
/// ```swift
/// let rule = try FailRule("wake.p50>25us")
/// ```
package struct FailRule: Equatable, Sendable, CustomStringConvertible {
  /// The metric that a rule limits.
  package enum Metric: Equatable, Sendable {
    /// One percentile.
    case percentile(Percentile)
    /// Every percentile that a report has.
    case any
    /// The number of operations that missed their schedule.
    case missed
  }

  /// The limit of a metric.
  package enum Limit: Equatable, Sendable {
    /// The largest allowed increase relative to the base: 0.1 is 10 %.
    case increase(Double)
    /// The largest allowed time in ns, independent of the base.
    case time(Double)
    /// The largest allowed count, independent of the base.
    case count(UInt64)
  }

  /// The text of the rule, without spaces.
  package let description: String
  /// The names of the scenario, series and peer to which the rule applies; nil
  /// matches any name.
  package let scope: (scenario: String?, series: String?, peer: String?)
  /// The limited metric.
  package let metric: Metric
  /// The limit.
  package let limit: Limit

  /// Rules are equal if their texts are.
  package static func == (one: FailRule, other: FailRule) -> Bool {
    one.description == other.description
  }

  /// The default rules of a comparison.
  ///
  /// They do not limit p99. A round has 30 to 500 samples, so its p99 is one of the
  /// five largest samples. When 8 runs of one program were compared with each other,
  /// 97 % of the results for p99 of `wake` were inconclusive, and 79 % of the results
  /// for p90.
  package static let standard: [FailRule] = ["p50>+10%", "p90>+25%"].map {
    do { return try FailRule($0) } catch { preconditionFailure("FailRule.standard: \(error)") }
  }
}

extension FailRule {
  /// Parses a rule. Spaces are ignored.
  ///
  /// - Throws: `LoopbenchError` with the expected form.
  package init(_ text: String) throws(LoopbenchError) {
    let text = String(text.filter { $0 != " " })
    let sides = text.split(separator: ">", omittingEmptySubsequences: false)
    guard sides.count == 2 else {
      let form = "METRIC>LIMIT, such as p99>+10% or wake.p50>25us"
      throw .usage("\"\(text)\" is not a rule: expected \(form)")
    }
    let (scope, metric) = try Self.subject(of: sides[0], in: text)
    description = text
    self.scope = try Self.scope(scope, in: text)
    self.metric = metric
    limit = try Self.limit(sides[1], for: metric, in: text)
  }

  /// Splits the left side of a rule into scope and metric. Both may contain points
  /// (`p99.9`), so the metric is the longest suffix that is a valid metric.
  private static func subject(
    of side: Substring,
    in text: String
  ) throws(LoopbenchError) -> (scope: Substring, metric: Metric) {
    if let metric = metric(side) { return ("", metric) }
    for point in side.indices where side[point] == "." {
      if let metric = metric(side[side.index(after: point)...]) { return (side[..<point], metric) }
    }
    let metrics = (Percentile.standard.map(\.title) + ["any"]).joined(separator: ", ")
    throw .usage("\"\(text)\" names no metric: expected \(metrics) or missed before \">\"")
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
      throw .usage("\"\(rule)\" is not a rule: expected \(scopes) before the metric")
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
        Decimals.value(of: text.dropFirst().dropLast()).map { .increase($0 / 100) }
      } else {
        TimeText.nanoseconds(in: text).map { .time($0) }
      }
    if let limit { return limit }
    let limits =
      metric == .missed
      ? "a whole number, such as missed>0" : "+10% (more than the base) or a time (25us)"
    throw .usage("\"\(rule)\" has no limit: expected \(limits) after \">\"")
  }
}

extension FailRule {
  /// Returns whether the rule applies to `result`.
  package func covers(_ result: Report.Result) -> Bool {
    scope.scenario ?? result.scenario == result.scenario
      && scope.series.map { $0 == result.series } ?? !result.isCompanion
      && scope.peer.map { $0 == result.peer } ?? !result.isReference
  }

  /// The percentiles that the rule limits.
  package var percentiles: [Percentile] {
    switch metric {
    case .percentile(let percentile): [percentile]
    case .any: Percentile.standard
    case .missed: []
    }
  }

  /// Whether the rule limits an increase.
  package var needsBase: Bool {
    if case .increase = limit { true } else { false }
  }

  /// Suggests a correction for a rule that applies to none of `results`. Its scope
  /// may be misspelt, or have a point instead of a slash before the series.
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
  /// Whether the series was recorded along with another series. Older files do not
  /// contain this fact, but a generator's lag is always recorded that way.
  fileprivate var isCompanion: Bool { known.companionOf != nil || known.kind == .lag }
}
