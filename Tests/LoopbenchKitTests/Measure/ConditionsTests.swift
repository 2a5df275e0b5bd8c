import LoopbenchKit
import Testing

@Suite("Conditions")
struct ConditionsTests {
  private func report(_ conditions: Conditions) throws -> Report {
    var fixture = Fixture()
    fixture.conditions = conditions
    return try fixture.report()
  }

  @Test("a standard run says nothing of its conditions, another says each")
  func parts() throws {
    #expect(try report(.standard).settings.conditions == nil)
    let other = Conditions(priority: 50, slackNs: 50_000, load: "cpu:2")
    let report = try report(other)
    #expect(report.settings.conditions == other)
    let text = report.rendered(as: .text)
    #expect(text.contains("policy fifo:50 · timer slack 50.0us · load cpu:2\n"))
    #expect(report.rendered(as: .json).contains("\"load\" : \"cpu:2\""))
  }

  @Test("runs under other conditions are not compared, unless that is forced")
  func comparison() throws {
    let (base, new) = (try report(.standard), try report(Conditions(load: "cpu:2")))
    let error = #expect(throws: ComparisonError.self) { try ReportComparison(base: base, new: new) }
    #expect(
      error
        == .otherSettings(
          name: "what was asked of the machine",
          base: "nothing",
          new: "load cpu:2"
        )
    )
    let forced = try ReportComparison(base: base, new: new, allowsOtherMachine: true)
    #expect(forced.notes.contains { $0.contains("load cpu:2") })
  }

  @Test("a slice is told its conditions")
  func slices() throws {
    let conditions = Conditions(slackNs: 7)
    let peer = AskingPeer(expected: conditions)
    var fixture = Fixture()
    fixture.peers = [peer]
    fixture.conditions = conditions
    #expect(try fixture.report().results.map(\.peer) == ["uv"])
  }

  private struct AskingPeer: Peer {
    let name = "uv"
    let scenario = "fake"
    let series = ["one"]
    let summary = "asks"
    let expected: Conditions

    func measure(_ slice: inout Slice) throws(PeerFailure) {
      guard slice.conditions == expected else { throw PeerFailure("other conditions") }
      slice.record(nanoseconds: 1)
    }
  }
}
