package import LoopTransactionsTesting

extension SeededGenerator {
  /// The numbers of `stream`, one of the many that `seed` has.
  package init(seed: UInt64, stream: UInt64) {
    var first = SeededGenerator(seed: seed)
    self.init(seed: first.next() ^ (stream &* 0xD134_2543_DE82_EF95))
  }

  /// A number from 0 to `bound` less 1.
  ///
  /// - Precondition: `bound` is not 0.
  package mutating func number(below bound: UInt64) -> UInt64 {
    precondition(bound > 0, "SeededGenerator: the bound must be above 0")
    return next().multipliedFullWidth(by: bound).high
  }

  /// Puts `items` in a random order. Ours, because the standard library's may
  /// change between releases, and a seed must not mean another order then.
  package mutating func shuffle<Item>(_ items: inout [Item]) {
    for last in items.indices.reversed() where last > 0 {
      items.swapAt(last, Int(number(below: UInt64(last) + 1)))
    }
  }
}

extension UInt64 {
  /// The FNV-1a hash of `text`: a stream number that is the same in every run,
  /// which `Hasher` is not.
  package init(stream text: String) {
    self = text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}
