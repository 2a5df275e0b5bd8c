package import LoopTransactionsTesting
package import LoopbenchKit
import Synchronization

/// A peer with made-up, noisy samples. Each slice deviates from the base by up to
/// `noise`, and each sample deviates from its slice by up to `spread`. A few samples,
/// the tail, are multiplied by a factor. All slices differ, including the slices of a
/// twin.
package final class NoisyPeer: Peer {
  package let name: String
  package let scenario: String
  package let series: [String]
  package let summary = "made up, with noise"
  package let isReference: Bool
  private let base: Double
  private let noise: Double
  private let spread: Double
  private let tail: Tail
  private let seed: UInt64
  private let slices = Atomic<UInt64>(0)

  package init(
    name: String,
    base: Double,
    noise: Double = 0.04,
    spread: Double = 0.2,
    tail: Tail = Tail(),
    seed: UInt64,
    isReference: Bool = false,
    scenario: String = "fake",
    series: String = "one"
  ) {
    self.name = name
    (self.scenario, self.series) = (scenario, [series])
    (self.noise, self.spread, self.tail) = (noise, spread, tail)
    self.isReference = isReference
    self.base = base
    self.seed = seed
  }

  package struct Tail {
    package var factor = 3.0
    package var percent: UInt64 = 1
  }

  package func measure(_ slice: inout Slice) {
    let count = slices.wrappingAdd(1, ordering: .relaxed).newValue
    var generator = SeededGenerator(seed: seed, stream: UInt64(stream: "\(name)/\(count)"))
    let drift = 1 - noise + 2 * noise * generator.uniform()
    for _ in 0..<slice.workload.samples {
      let factor = generator.number(below: 100) < tail.percent ? tail.factor : 1
      let deviation = 1 - spread + 2 * spread * generator.uniform()
      slice.record(nanoseconds: base * drift * deviation * factor)
    }
  }
}

extension SeededGenerator {
  /// Returns a number from 0 to 1.
  package mutating func uniform() -> Double {
    Double(number(below: 1 << 53)) / 0x1p53
  }
}
