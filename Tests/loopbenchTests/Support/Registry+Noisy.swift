import LoopTransactionsTesting
import LoopbenchKit
import LoopbenchTestSupport

extension Registry {
  /// The peers of one process: `lt` and the reference `uv`. Their times drift together
  /// by up to 5 %.
  ///
  /// - Parameters:
  ///   - slower: The share by which `lt` is slower: 0.2 is 20 %.
  ///   - reference: The share by which `uv` is slower.
  static func noisy(slower: Double = 0, reference: Double = 0, process: UInt64) -> Registry {
    var generator = SeededGenerator(seed: process, stream: 1)
    let drift = 0.95 + 0.1 * generator.uniform()
    let one = Series(
      name: "one",
      summary: "one time",
      workload: Workload(warmUps: 0, samples: 100, operations: 1)
    )
    let peers = [("uv", 20_000 * (1 + reference), true), ("lt", 10_000 * (1 + slower), false)]
    return Registry(
      scenarios: [Scenario(name: "fake", summary: "a test", series: [one])],
      peers: peers.map { name, time, isReference in
        NoisyPeer(
          name: name,
          base: time * drift,
          noise: 0.03,
          seed: process,
          isReference: isReference
        )
      }
    )
  }
}
