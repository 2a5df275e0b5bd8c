/// The unit a table shows its times in.
package enum TimeUnit: String, CaseIterable, Sendable {
  case ns
  case us
  case ms

  /// In ns.
  package var nanoseconds: Double {
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
