import LoopbenchKit
import Synchronization

/// A peer of made-up times: no two slices are the same, not even a twin's.
final class NoisyPeer: Peer {
  let name: String
  let scenario = "noisy"
  let series = ["one"]
  let summary = "made up, with noise"
  let isReference: Bool
  private let nanoseconds: Double
  private let seed: UInt64
  private let slices = Atomic<UInt64>(0)

  init(name: String, nanoseconds: Double, seed: UInt64, isReference: Bool = false) {
    self.name = name
    self.isReference = isReference
    self.nanoseconds = nanoseconds
    self.seed = seed
  }

  func measure(_ slice: inout Slice) {
    let count = slices.wrappingAdd(1, ordering: .relaxed).newValue
    var generator = SeededGenerator(seed: seed, stream: UInt64(stream: "\(name)/\(count)"))
    let drift = 0.97 + 0.06 * generator.uniform()
    for _ in 0..<slice.effort.samples {
      slice.record(nanoseconds: nanoseconds * drift * (0.8 + 0.4 * generator.uniform()))
    }
  }
}

extension SeededGenerator {
  /// From 0 to 1.
  mutating func uniform() -> Double { Double(next() >> 11) / 0x1p53 }
}

extension Registry {
  /// One process of a program: `lt` and the reference `uv`, both up to 5 % off by
  /// what the machine was like just then.
  ///
  /// - Parameters:
  ///   - slower: How much slower `lt` is: 0.2.
  ///   - reference: How much slower `uv` is.
  static func noisy(slower: Double = 0, reference: Double = 0, process: UInt64) -> Registry {
    var generator = SeededGenerator(seed: process, stream: 1)
    let drift = 0.95 + 0.1 * generator.uniform()
    let one = Series(
      name: "one",
      summary: "one time",
      effort: Effort(warmUps: 0, samples: 100, operations: 1)
    )
    let peers = [("uv", 20_000 * (1 + reference), true), ("lt", 10_000 * (1 + slower), false)]
    return Registry(
      scenarios: [Scenario(name: "noisy", summary: "a test", series: [one])],
      peers: peers.map { name, time, isReference in
        NoisyPeer(name: name, nanoseconds: time * drift, seed: process, isReference: isReference)
      }
    )
  }
}
