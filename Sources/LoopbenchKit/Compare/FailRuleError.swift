/// Why a text is no `FailRule`, and what would be.
public enum FailRuleError: Error, Equatable, CustomStringConvertible {
  /// It is not something, a ">", and a limit.
  case shape(String)
  /// What is before ">" does not end in a metric.
  case metric(String)
  /// What is before the metric is not a scenario, a series and a peer.
  case scope(String)
  /// What is after ">" is no limit for the metric.
  case limit(String, of: FailRule.Metric)

  /// What is wrong, and what is expected.
  public var description: String {
    switch self {
    case .shape(let rule):
      "\"\(rule)\" is no rule: it needs METRIC>LIMIT, such as p99>+10% or wake.p50>25us"
    case .metric(let rule):
      "\"\(rule)\" names no metric: before \">\" goes \(Self.metrics)"
    case .scope(let rule):
      "\"\(rule)\" is no rule: before the metric goes SCENARIO, SCENARIO/SERIES or"
        + " SCENARIO/SERIES/PEER"
    case .limit(let rule, .missed):
      "\"\(rule)\" has no limit: after \">\" goes a whole number, such as missed>0"
    case .limit(let rule, _):
      "\"\(rule)\" has no limit: after \">\" goes +10% (more than the base) or a time (25us)"
    }
  }

  private static var metrics: String {
    (Percentile.standard.map(\.title) + ["any"]).joined(separator: ", ") + " or missed"
  }
}
