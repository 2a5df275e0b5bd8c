package import LoopbenchKit

/// `loopbench list`: scenarios, their series and their peers.
package enum ListText {
  package static func render(_ registry: Registry) -> String {
    registry.scenarios.map { scenario in
      let series = scenario.series.map { "  \($0.name): \($0.summary)" }
      let peers = registry.peers(of: scenario).map { "    \($0.name): \($0.summary)" }
      let lines = ["\(scenario.name): \(scenario.summary)"] + series + ["  peers:"] + peers
      return lines.joined(separator: "\n") + "\n"
    }.joined(separator: "\n")
  }
}
