private import CLoopbench
import LoopTransactions
package import LoopTransactionsTesting

extension SeededGenerator {
  /// Makes a generator of one of the independent streams of `seed`.
  package init(seed: UInt64, stream: UInt64) {
    var first = SeededGenerator(seed: seed)
    self.init(seed: first.next() ^ (stream &* 0xD134_2543_DE82_EF95))
  }

  /// Returns a number from 0 up to, but not including, `bound`.
  ///
  /// - Precondition: `bound` is above 0.
  package mutating func number(below bound: UInt64) -> UInt64 {
    require(bound > 0, "SeededGenerator: the bound must be above 0, got 0")
    return next().multipliedFullWidth(by: bound).high
  }

  /// Shuffles `items`.
  ///
  /// Does not use the standard library's shuffle, because its algorithm may change,
  /// and a seed must always produce the same order.
  package mutating func shuffle<Item>(_ items: inout [Item]) {
    for last in items.indices.reversed() where last > 0 {
      items.swapAt(last, Int(number(below: UInt64(last) + 1)))
    }
  }
}

extension UInt64 {
  /// Computes the number of the stream named `text`, which is its FNV-1a hash.
  /// Unlike the result of `Hasher`, it is the same in every run.
  package init(stream text: String) {
    self = text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}

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
