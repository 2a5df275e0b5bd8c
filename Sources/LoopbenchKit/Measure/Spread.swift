/// The median of some values, and their range.
public struct Spread: Codable, Equatable, Sendable {
  /// The middle value; of two middle values, their mean.
  public let median: Double
  /// The smallest value.
  public let low: Double
  /// The largest value.
  public let high: Double

  /// `nil` when there are no values.
  public init?(of values: [Double]) {
    let sorted = values.sorted()
    guard let first = sorted.first, let last = sorted.last else { return nil }
    let middle = sorted.count / 2
    let isOdd = sorted.count % 2 == 1
    median = isOdd ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    low = first
    high = last
  }
}
