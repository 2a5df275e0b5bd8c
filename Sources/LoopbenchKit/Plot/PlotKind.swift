/// What a plot shows.
public enum PlotKind: String, CaseIterable, Sendable {
  /// The time that each percentile does not exceed; every nine has as much room.
  case percentile
  /// Median and p99 of each round.
  case time
  /// How many samples took how long.
  case histogram

  /// A heading.
  var title: String {
    switch self {
    case .percentile: "by percentile"
    case .time: "round by round"
    case .histogram: "distribution"
    }
  }
}
