import Foundation
import LoopbenchKit
import Testing

/// In a process of its own: other tests have threads and descriptors, too.
@Suite("What peers leave behind")
struct LeftoverTests {
  /// How many entries a folder of /proc has.
  static func count(_ folder: String) -> Int {
    // try?: where there is no /proc, nothing is compared.
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/" + folder).count) ?? 0
  }

  /// Measures every series that `peers` have, but for the longest, `rounds` times.
  static func measure(_ peers: [String], rounds: Int) throws {
    for registry in [Registry.standard, .standard.closed] {
      let selection = try Selection(
        from: registry.taking(samples: 2, in: 1),
        peers: peers,
        placement: .detect(),
        twins: .never
      )
      for round in 1...rounds {
        for contender in selection.contenders where contender.series.effort.operations <= 10_000 {
          _ = try contender.measure(round: round, seed: 1, instruments: .system)
        }
      }
    }
  }

  /// Whether `holds` is true soon: a thread that was joined may be in /proc a
  /// moment longer.
  static func soon(_ holds: () -> Bool) -> Bool {
    let limit = ContinuousClock.now + .seconds(10)
    while !holds() {
      guard ContinuousClock.now < limit else { return false }
    }
    return true
  }

  static let own = ["lt", "lt.kept", "uv", "eventfd", "cond", "set", "dirtybit"]

  @Test("a peer with threads of its own leaves neither a thread nor a descriptor")
  func owned() async {
    await #expect(processExitsWith: .success) {
      try LeftoverTests.measure(LeftoverTests.own, rounds: 1)
      let threads = LeftoverTests.count("task")
      let descriptors = LeftoverTests.count("fd")
      try LeftoverTests.measure(LeftoverTests.own, rounds: 3)
      #expect(LeftoverTests.soon { LeftoverTests.count("task") <= threads })
      #expect(LeftoverTests.count("fd") == descriptors)
    }
  }

  @Test("a peer on a pool's threads leaves no descriptor, and the pool stays a pool")
  func pooled() async {
    await #expect(processExitsWith: .success) {
      let peers = ["dispatch", "actor"]
      try LeftoverTests.measure(peers, rounds: 1)
      let threads = LeftoverTests.count("task")
      let descriptors = LeftoverTests.count("fd")
      // 88 slices. A pool may grow by a few; one thread for each would be more.
      try LeftoverTests.measure(peers, rounds: 4)
      #expect(LeftoverTests.soon { LeftoverTests.count("task") < threads + 20 })
      #expect(LeftoverTests.count("fd") == descriptors)
    }
  }
}
