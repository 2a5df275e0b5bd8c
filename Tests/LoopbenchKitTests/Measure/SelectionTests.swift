import LoopbenchKit
import Testing

@Suite("Selection")
struct SelectionTests {
  private let placement = Placement(cpuCount: 2, loop: 1, producer: 0)
  private let registry = Registry.standard

  private func select(
    _ scenarios: [String] = [],
    peers: [String]? = nil,
    control: AAControl = .never
  ) throws(LoopbenchError) -> Selection {
    try Selection(
      from: registry,
      scenarios: scenarios,
      peers: peers,
      placement: placement,
      control: control
    )
  }

  @Test("a reference that is compared with other peers is measured twice")
  func twins() throws {
    let names = try select(["idle"], control: .compared).contenders.map(\.name)
    #expect(names == ["idle/tick/uv", "idle/tick/lt", "idle/tick/uv.again"])
    #expect(try select(["idle"]).contenders.count == 2)
  }

  @Test("without a reference, the first peer is measured twice, but a single peer only on request")
  func twinsWithoutReference() throws {
    let two = try select(["commit"], peers: ["lt", "lt.kept"], control: .compared).contenders
    #expect(two.filter(\.isTwin).map(\.peerName) == ["lt.again", "lt.again"])
    let one = try select(["idle"], peers: ["lt"], control: .compared).contenders
    #expect(one.map(\.peerName) == ["lt"])
    let always = try select(["idle"], peers: ["lt"], control: .always).contenders
    #expect(always.map(\.peerName) == ["lt", "lt.again"])
  }

  @Test("if nothing is named, every standard scenario is measured with its standard peers")
  func everything() throws {
    let scenarios = registry.scenarios.filter(\.isStandard)
    let standard = Set(scenarios.flatMap(registry.peers).filter(\.isStandard).map(\.name))
    #expect(standard.isStrictSubset(of: registry.peerNames))
    let selection = try select()
    let wanted = registry.scenarios.filter(\.isStandard).map(\.name)
    #expect(Set(selection.contenders.map(\.scenario.name)) == Set(wanted))
    #expect(Set(selection.contenders.map(\.peer.name)) == standard)
    #expect(selection.warnings == [])
  }

  @Test("a scenario that is not standard is measured only when it is named")
  func named() throws {
    let named = registry.scenarios.filter { !$0.isStandard }.map(\.name)
    #expect(named == ["pool", "priority", "hop", "io", "growth"])
    let peers = try select(["pool"]).contenders.map(\.name).filter { $0.hasPrefix("pool/empty") }
    #expect(peers.contains("pool/empty/lt") && peers.contains("pool/empty/dispatch"))
    let changed = registry.taking(samples: 2, in: 1)
    let all = try Selection(from: changed, peers: ["all"], placement: placement)
    #expect(!all.contenders.contains { $0.scenario.name == "pool" })
  }

  @Test("a companion series has no contenders")
  func companions() throws {
    let names = try select(["wake"], peers: ["uv"]).contenders.map(\.series.name)
    #expect(names == ["across", "same", "same.low", "paced"])
  }

  @Test("the error for a misspelled scenario suggests the nearest name")
  func unknownScenario() {
    let error = #expect(throws: LoopbenchError.self) { try select(["wkae"]) }
    #expect(error?.description == "there is no scenario \"wkae\"; did you mean \"wake\"?")
  }

  @Test("the error for a misspelled peer suggests the nearest name")
  func unknownPeer() {
    let error = #expect(throws: LoopbenchError.self) { try select(peers: ["dirtybits"]) }
    #expect(error?.description == "there is no peer \"dirtybits\"; did you mean \"dirtybit\"?")
  }

  @Test("if a named scenario lacks a named peer, the error lists the scenario's peers")
  func peerNotInScenario() {
    let error = #expect(throws: LoopbenchError.self) { try select(["idle"], peers: ["set"]) }
    #expect(error?.code == .unavailable)
    #expect(error?.description.hasPrefix("idle has no peer \"set\"; it has uv") ?? false)
  }

  @Test("the error for an unknown peer lists the peers of the named scenarios")
  func choices() {
    let error = #expect(throws: LoopbenchError.self) { try select(["idle"], peers: ["nosuch"]) }
    #expect(error?.code == .usage)
    let own = registry.scenarios.filter { $0.name == "idle" }.flatMap(registry.peers)
    let names = own.map(\.name).joined(separator: ", ")
    #expect(error?.description == "there is no peer \"nosuch\"; choose from \(names)")
    let all = #expect(throws: LoopbenchError.self) { try select(peers: ["nosuch"]) }
    #expect(all?.description.contains("dirtybit") ?? false)
  }

  @Test("if no scenario is named, scenarios without a named peer are left out with a warning")
  func skipped() throws {
    let selection = try select(peers: ["set"])
    #expect(Set(selection.contenders.map(\.name)) == ["commit/duplicate/set", "commit/first/set"])
    #expect(selection.warnings.map(\.id) == Array(repeating: "peer-skipped", count: 5))
  }

  @Test("a named peer without a chosen series is left out with a warning that lists its series")
  func lacking() throws {
    let selection = try select(["post/typed.self"], peers: ["uv", "actor"])
    #expect(selection.contenders.map(\.name) == ["post/typed.self/uv"])
    let only = """
      closure.across, closure.self, closure.across.4, closure.across.16, closure.across.64, \
      closure.chain
      """
    #expect(selection.unmatched == ["post peer \"actor\" measures only \(only)"])
    #expect(
      selection.warnings.map(\.text) == [
        "post was measured without peer \"actor\", which measures only \(only)"
      ]
    )
    let all = try select(["post/typed.self"], peers: [Selection.all])
    #expect(all.warnings.map(\.id).filter { $0 != "peer-unavailable" } == [])
    #expect(try select(["post"], peers: ["actor"]).unmatched == [])
  }

  @Test("with one CPU the series across is left out with a warning")
  func oneCPU() throws {
    let selection = try Selection(
      from: registry,
      scenarios: ["wake"],
      placement: Placement(cpuCount: 1, loop: 0, producer: nil)
    )
    #expect(!selection.contenders.contains { $0.series.name == "across" })
    #expect(selection.contenders.contains { $0.series.name == "same" })
    #expect(
      selection.warnings.map(\.text) == [
        "wake across is unavailable: it needs 2 CPUs, there is 1",
        "wake paced is unavailable: it needs 2 CPUs, there is 1",
      ]
    )
  }

  @Test("the scenario and the series of every peer of the standard registry exist")
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
