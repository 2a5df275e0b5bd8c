import LoopTransactions
private import CLoopbench

/// Logarithms, without Foundation.
package enum Logarithm {
  /// The logarithm to base 10.
  package static func of(_ value: Double) -> Double { log10(value) }

  /// 10 to the power of `exponent`.
  package static func power(_ exponent: Double) -> Double { pow(10, exponent) }

  /// The logarithm to base 2.
  package static func binary(_ value: Double) -> Double { log2(value) }
}

// A seed must produce the same schedule on every machine. This natural logarithm
// therefore returns the same bits on every machine, which C libraries do not
// guarantee.
extension Logarithm {
  private static let ofTwo = 0.693_147_180_559_945_3

  /// The natural logarithm, with an error of at most 1e-15.
  ///
  /// - Precondition: `value` is above 0, finite and normal.
  package static func natural(_ value: Double) -> Double {
    require(value.isNormal && value > 0, "Logarithm: value must be above 0, got \(value)")
    // ln m = 2 artanh((m - 1) / (m + 1)). For m between 1 and 2, the ratio is below
    // 1/3.
    let ratio = (value.significand - 1) / (value.significand + 1)
    let square = ratio * ratio
    var sum = 0.0
    for power in stride(from: 33, through: 1, by: -2) { sum = sum * square + 1 / Double(power) }
    return Double(value.exponent) * ofTwo + 2 * ratio * sum
  }
}
