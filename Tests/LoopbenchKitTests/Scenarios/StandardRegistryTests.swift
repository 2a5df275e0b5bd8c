import LoopbenchKit
import Testing

@Suite("Standard registry")
struct StandardRegistryTests {
  @Test("lt and uv measure every series of each of their scenarios", arguments: ["lt", "uv"])
  func complete(name: String) {
    let registry = Registry.standard
    // In `pool` the peer on libuv's threads is `uvwork`.
    let scenarios = registry.scenarios.filter { name == "lt" || $0.references.contains(name) }
    for scenario in scenarios {
      let peer = registry.peers(of: scenario).first { $0.name == name }
      let measured = scenario.series.filter { $0.companionOf == nil }.map(\.name)
      // libuv has no precise timers, no observers, and no threads with loops.
      let lacking = name == "uv" ? ["precise.", "observers.", "loops."] : []
      let expected = measured.filter { series in !lacking.contains { series.hasPrefix($0) } }
      #expect(Set(peer?.series ?? []) == Set(expected), "\(scenario.name)")
    }
  }

  @Test("commit and idle peers are compared with uv and the floors")
  func references() {
    #expect(Scenario.commit.references == ["uv", "set", "dirtybit", "hand"])
    #expect(Scenario.idle.references == ["uv", "hand"])
    #expect(Scenario.idle.extras == [.difference])
  }
}
