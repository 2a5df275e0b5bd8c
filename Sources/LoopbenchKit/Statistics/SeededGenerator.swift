/// Random numbers that a seed repeats, on every machine and toolchain
/// (SplitMix64).
package struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Begins the sequence of `seed`. Another `stream` is an unrelated sequence.
  package init(seed: UInt64, stream: UInt64 = 0) {
    state = seed
    let start = next()
    state = start ^ (stream &* 0xD134_2543_DE82_EF95)
  }

  /// The next 64 random bits.
  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
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
