package import LoopbenchKit

extension Registry {
  /// The series of the standard questions, with made-up samples of `lt` and `uv`.
  ///
  /// - Parameters:
  ///   - noise: How much each slice deviates, as a share.
  ///   - factor: The times of `lt`, as a factor of the times of `uv`, without noise
  ///     within a slice. If nil, each question has another factor.
  ///   - tails: The factors of the slowest 10 %. If nil, one sample in a hundred is three
  ///     times as slow.
  ///   - samples: The number of samples per round.
  ///   - across: The placement of the series `wake/across`.
  package static func questions(
    noise: Double,
    factor: Double? = nil,
    tails: (lt: Double, uv: Double)? = nil,
    samples: Int = 120,
    across: Placement.Rule = .loop
  ) -> Registry {
    // In ns.
    let times: [(String, String, lt: Double, uv: Double)] = [
      ("timer", "lateness", 68_800, 1_147_000),
      ("wake", "across", 8200, 8300),
      ("wake", "same", 5330, 34_800),
      ("post", "closure.across", 31, 42),
      ("commit", "duplicate", 9.2, 0.63),
      ("idle", "tick", 412, 400),
    ]
    let names = ["timer", "wake", "post", "commit", "idle"]
    return Registry(
      scenarios: names.map { name in
        let series = times.filter { $0.0 == name }.map { time in
          Series(
            name: time.1,
            summary: "a made-up time",
            workload: Workload(warmUps: 0, samples: samples, operations: 1),
            placement: time.1 == "across" ? across : .loop
          )
        }
        return Scenario(name: name, summary: "made-up times", series: series)
      },
      peers: times.enumerated().flatMap { index, time in
        let own = factor.map { $0 * time.uv } ?? time.lt
        return [("uv", time.uv, true), ("lt", own, false)].map { name, base, isReference in
          let tail = tails.map { isReference ? $0.uv : $0.lt }
          return NoisyPeer(
            name: name,
            base: base,
            noise: noise,
            spread: factor == nil ? 0.2 : 0,
            tail: tail.map { NoisyPeer.Tail(factor: $0, percent: 10) } ?? NoisyPeer.Tail(),
            seed: UInt64(index),
            isReference: isReference,
            scenario: time.0,
            series: time.1
          )
        }
      }
    )
  }
}
