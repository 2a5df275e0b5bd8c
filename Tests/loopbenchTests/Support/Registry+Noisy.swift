import LoopbenchKit
import LoopbenchTestSupport

extension Registry {
  static func noisy(_ peer: NoisyPeer) -> Registry {
    let one = Series(
      name: "one",
      summary: "one time",
      effort: Effort(warmUps: 0, samples: 100, operations: 1)
    )
    return Registry(
      scenarios: [Scenario(name: "fake", summary: "a test", series: [one])],
      peers: [peer]
    )
  }
}
