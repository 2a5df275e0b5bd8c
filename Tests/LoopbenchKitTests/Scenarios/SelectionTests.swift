import LoopbenchKit
import Testing

@Suite("Selection")
struct SelectionTests {
  private let placement = Placement(cpuCount: 2, loop: 1, producer: 0)
  private let registry = Registry.standard

  private func select(
    _ scenarios: [String] = [],
    peers: [String]? = nil
  ) throws(SelectionError) -> Selection {
    try Selection(from: registry, scenarios: scenarios, peers: peers, placement: placement)
  }

  @Test("nothing named is everything, with no warning")
  func everything() throws {
    let selection = try select()
    #expect(Set(selection.contenders.map(\.scenario.name)).count == registry.scenarios.count)
    #expect(Set(selection.contenders.map(\.peer.name)) == Set(registry.peerNames))
    #expect(selection.warnings == [])
  }

  @Test("a companion is not measured by itself")
  func companions() throws {
    let names = try select(["wake"], peers: ["uv"]).contenders.map(\.series.name)
    #expect(names == ["across", "same", "same.low"])
  }

  @Test("a mistyped scenario is refused with the nearest name")
  func unknownScenario() {
    let error = #expect(throws: SelectionError.self) { try select(["wkae"]) }
    #expect(error?.description == "there is no scenario \"wkae\"; did you mean \"wake\"?")
  }

  @Test("a mistyped peer is refused with the nearest name")
  func unknownPeer() {
    let error = #expect(throws: SelectionError.self) { try select(peers: ["dirtybits"]) }
    #expect(error?.description == "there is no peer \"dirtybits\"; did you mean \"dirtybit\"?")
  }

  @Test("a peer that a named scenario does not have is refused, with those it has")
  func peerNotInScenario() {
    let error = #expect(throws: SelectionError.self) { try select(["idle"], peers: ["set"]) }
    guard case .peerNotInScenario("set", "idle", let has)? = error else {
      Issue.record("got \(String(describing: error))")
      return
    }
    #expect(has.contains("uv"))
  }

  @Test("with no scenario named, one without the peer is left out with a warning")
  func skipped() throws {
    let selection = try select(peers: ["set"])
    #expect(Set(selection.contenders.map(\.name)) == ["commit/duplicate/set", "commit/first/set"])
    #expect(selection.warnings.map(\.id) == Array(repeating: "peer-skipped", count: 5))
  }

  @Test("with one CPU, across is left out with a warning")
  func oneCPU() throws {
    let selection = try Selection(
      from: registry,
      scenarios: ["wake"],
      placement: Placement(cpuCount: 1, loop: 0, producer: nil)
    )
    #expect(!selection.contenders.contains { $0.series.name == "across" })
    #expect(selection.contenders.contains { $0.series.name == "same" })
    #expect(
      selection.warnings.map(\.text) == ["wake across is unavailable: it needs 2 CPUs, here is 1"]
    )
  }

  @Test("every peer of the standard registry has a scenario, and series that exist")
  func consistency() throws {
    for peer in registry.peers {
      let scenario = try #require(registry.scenarios.first { $0.name == peer.scenario })
      let known = scenario.series.filter { $0.companionOf == nil }.map(\.name)
      #expect(Set(peer.series).isSubset(of: known), "\(peer.scenario) \(peer.name)")
    }
    let names = registry.peers.map { "\($0.scenario)/\($0.name)" }
    #expect(Set(names).count == names.count)
  }
}
