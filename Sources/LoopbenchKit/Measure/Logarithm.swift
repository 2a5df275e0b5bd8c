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
