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
