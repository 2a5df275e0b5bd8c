/// A running mean and variance that does not lose small differences (Welford),
/// and that can be merged (Chan).
package struct Moments: Sendable, Equatable {
  private var count = 0.0
  package private(set) var mean = 0.0
  private var squares = 0.0

  package init() {}

  package mutating func add(_ value: Double) {
    count += 1
    let distance = value - mean
    mean += distance / count
    squares += distance * (value - mean)
  }

  package mutating func merge(_ other: Moments) {
    guard other.count > 0 else { return }
    let total = count + other.count
    let distance = other.mean - mean
    squares += other.squares + distance * distance * count * other.count / total
    mean += distance * other.count / total
    count = total
  }

  /// Of the samples themselves: divided by one less than their count.
  package var standardDeviation: Double {
    count < 2 ? 0 : (squares / (count - 1)).squareRoot()
  }
}
