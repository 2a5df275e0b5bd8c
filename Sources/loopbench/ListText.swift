package import LoopbenchKit

/// `loopbench list`: scenarios, their series and their peers.
package enum ListText {
  package static func render(_ registry: Registry) -> String {
    registry.scenarios.map { scenario in
      let series = scenario.series.map { "  \($0.name): \($0.summary)" }
      let peers = registry.peers(of: scenario).map { peer in
        let reason = peer.unavailability.map { " (unavailable: \($0))" } ?? ""
        return "    \(peer.name): \(peer.summary)\(reason)"
      }
      let lines = ["\(scenario.name): \(scenario.summary)"] + series + ["  peers:"] + peers
      return lines.joined(separator: "\n") + "\n"
    }.joined(separator: "\n")
  }
}
