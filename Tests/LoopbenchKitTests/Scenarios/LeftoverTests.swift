import Foundation
import LoopbenchKit
import TestSupport
import Testing

/// Each test runs in its own process, because other tests open descriptors and
/// start threads.
@Suite(
  "Leaks of peers",
  .enabled(if: FileManager.default.fileExists(atPath: "/proc/self"), "there is no /proc"),
  .enabled(if: !Interposed.isSanitized, "a sanitizer starts threads and opens descriptors")
)
struct LeftoverTests {
  /// The number of threads. This is the highest of several counts, because the
  /// system may omit threads from a list while another thread ends.
  static var threads: Int {
    get throws {
      let counts = try (0..<10).map { _ in
        usleep(1000)
        return try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
      }
      return counts.max() ?? 0
    }
  }

  /// The number of descriptors, without those that a thread opens for a moment.
  static var descriptors: Int { TestSupport.Process.openDescriptors }

  /// Measures every series of `peers`, except the longest series, `rounds` times.
  static func measure(_ peers: [String], rounds: Int) throws {
    let selection = try Registry.standard.taking(samples: 2, in: 1).everything(peers: peers)
    for round in 1...rounds {
      for contender in selection.contenders where contender.series.workload.operations <= 10_000 {
        _ = try contender.measure(round: round, seed: 1, instruments: .system)
      }
    }
  }

  /// Waits until `holds` returns true. A joined thread may stay in /proc for a
  /// moment, and an idle thread of a pool may stay there for some seconds.
  static func soon(_ holds: () throws -> Bool) rethrows -> Bool {
    let limit = ContinuousClock.now + .seconds(600)
    while try !holds() {
      guard ContinuousClock.now < limit else { return false }
      usleep(20_000)
    }
    return true
  }

  static let own = [
    "lt", "lt.kept", "lt.own", "uv", "eventfd", "epoll", "cond", "heap", "set", "dirtybit",
    "hand", "uvwork",
  ]

  @Test("a peer with its own threads leaks neither threads nor descriptors")
  func owned() async {
    await #expect(processExitsWith: .success) {
      try LeftoverTests.measure(LeftoverTests.own, rounds: 1)
      let threads = try LeftoverTests.threads
      let descriptors = LeftoverTests.descriptors
      try LeftoverTests.measure(LeftoverTests.own, rounds: 3)
      #expect(
        try LeftoverTests.soon { try LeftoverTests.threads <= threads },
        "threads: \(threads) before; measure each peer of `own` alone to find the one that leaks"
      )
      let left = LeftoverTests.descriptors
      #expect(
        left == descriptors,
        "descriptors: \(descriptors) before, \(left) after; measure each peer of `own` alone"
      )
    }
  }

  @Test("a peer on a pool's threads leaks no descriptors, and no threads once the pool is idle")
  func pooled() async {
    await #expect(processExitsWith: .success) {
      let peers = ["dispatch", "actor", "opqueue", "runloop", "task"]
      let threads = try LeftoverTests.threads
      // The first use of a pool opens descriptors that it keeps.
      try LeftoverTests.measure(peers, rounds: 1)
      let descriptors = LeftoverTests.descriptors
      try LeftoverTests.measure(peers, rounds: 4)
      #expect(LeftoverTests.descriptors == descriptors)
      // libdispatch ends a worker that was idle for 5 s.
      #expect(try LeftoverTests.soon { try LeftoverTests.threads <= threads })
    }
  }
}
