#if canImport(Darwin)
  private import Darwin
#elseif canImport(Glibc)
  private import Glibc
#elseif canImport(Musl)
  private import Musl
#endif

/// Logarithms to base 10, without Foundation.
package enum Logarithm {
  /// How many tens multiplied give `value`.
  package static func of(_ value: Double) -> Double { log10(value) }

  /// So many tens multiplied.
  package static func power(_ exponent: Double) -> Double { pow(10, exponent) }

  /// How many twos multiplied give `value`.
  package static func binary(_ value: Double) -> Double { log2(value) }
}

// The natural logarithm is the same to the last bit on every machine, which no C
// library promises: a seed must have one schedule.
extension Logarithm {
  private static let ofTwo = 0.693_147_180_559_945_3

  /// The logarithm of `value`, within 1e-15 of it.
  ///
  /// - Precondition: `value` is above 0, finite and normal.
  package static func natural(_ value: Double) -> Double {
    precondition(value.isNormal && value > 0, "Logarithm: value must be above 0, got \(value)")
    // ln m = 2 artanh((m - 1) / (m + 1)); between 1 and 2 the ratio is under 1/3.
    let ratio = (value.significand - 1) / (value.significand + 1)
    let square = ratio * ratio
    var sum = 0.0
    for power in stride(from: 33, through: 1, by: -2) { sum = sum * square + 1 / Double(power) }
    return Double(value.exponent) * ofTwo + 2 * ratio * sum
  }
}
