import LoopbenchKit
import Synchronization

/// A peer of made-up times: no two slices are the same, not even a twin's.
final class NoisyPeer: Peer {
  let name = "uv"
  let scenario = "noisy"
  let series = ["one"]
  let summary = "made up, with noise"
  private let nanoseconds: Double
  private let seed: UInt64
  private let slices = Atomic<UInt64>(0)

  init(nanoseconds: Double, seed: UInt64) {
    self.nanoseconds = nanoseconds
    self.seed = seed
  }

  func measure(_ slice: inout Slice) {
    let count = slices.wrappingAdd(1, ordering: .relaxed).newValue
    var generator = SeededGenerator(seed: seed, stream: count)
    let drift = 0.96 + 0.08 * Self.uniform(&generator)
    for _ in 0..<slice.effort.samples {
      slice.record(nanoseconds: nanoseconds * drift * (0.8 + 0.4 * Self.uniform(&generator)))
    }
  }

  private static func uniform(_ generator: inout SeededGenerator) -> Double {
    Double(generator.next() >> 11) / 0x1p53
  }
}

extension Registry {
  static func noisy(_ peer: NoisyPeer) -> Registry {
    let one = Series(
      name: "one",
      summary: "one time",
      effort: Effort(warmUps: 0, samples: 100, operations: 1)
    )
    return Registry(
      scenarios: [Scenario(name: "noisy", summary: "a test", series: [one])],
      peers: [peer]
    )
  }
}
