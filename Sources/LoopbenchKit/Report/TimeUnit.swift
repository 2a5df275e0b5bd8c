/// The unit a table shows its times in.
public enum TimeUnit: String, CaseIterable, Sendable {
  /// Nanoseconds.
  case ns
  /// Microseconds.
  case us
  /// Milliseconds.
  case ms

  /// In ns.
  public var nanoseconds: Double {
    switch self {
    case .ns: 1
    case .us: 1000
    case .ms: 1_000_000
    }
  }

  /// The largest unit in which the smallest of `values` is not below 1.
  package static func fitting(_ values: [Double]) -> TimeUnit {
    let least = values.min() ?? 0
    return allCases.last { $0.nanoseconds <= least } ?? .ns
  }
}
