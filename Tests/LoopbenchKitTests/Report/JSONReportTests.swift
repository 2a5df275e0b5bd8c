import FoundationEssentials
import LoopbenchKit
import TestSupport
import Testing

@Suite("JSONReport")
struct JSONReportTests {
  @Test("the JSON of a known run is this JSON")
  func golden() throws {
    var fixture = Fixture()
    fixture.peers = [FakePeer(name: "uv", base: 1000), FakePeer(name: "lt", base: 500)]
    fixture.rounds = .fixed(1)
    let json = JSONReport.render(try fixture.report())
    #expect(try json == Golden.expected(json, "report.json"))
  }

  @Test("a report read back is the same report")
  func roundTrip() throws {
    let report = try Fixture().report()
    let json = JSONReport.render(report)
    #expect(try JSONDecoder().decode(Report.self, from: Data(json.utf8)) == report)
  }
}
