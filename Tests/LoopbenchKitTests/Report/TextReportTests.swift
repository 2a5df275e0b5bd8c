import Foundation
import LoopbenchKit
import TestSupport
import Testing

@Suite("TextReport")
struct TextReportTests {
  @Test("the text of a known run is this text")
  func golden() throws {
    let fixture = Fixture()
    let text = TextReport(try fixture.report(), scenarios: [fixture.scenario]).render()
    #expect(try text == Golden.expected(text, "report.txt"))
  }

  @Test("a report that was read says what its scenarios are, to whom it may concern")
  func descriptions() throws {
    let fixture = Fixture()
    let report = try fixture.report()
    let json = report.json()
    let read = try ReportFile.decode(Data(json.utf8), from: "x.json")
    let known = TextReport(report, scenarios: [fixture.scenario]).render()
    #expect(TextReport(read, scenarios: []).render() == known)
    #expect(known.contains("vs uv p50"))
    let start = try #require(json.firstRange(of: "  \"descriptions\""))
    let end = try #require(json.firstRange(of: "  \"labels\""))
    let old = json[..<start.lowerBound] + json[end.lowerBound...]
    let older = try ReportFile.decode(Data(old.utf8), from: "x.json")
    #expect(TextReport(older, scenarios: [fixture.scenario]).render() == known)
  }

  @Test("a warning is printed with its name and what to do")
  func warnings() throws {
    var fixture = Fixture()
    fixture.rounds = .fixed(1)
    let text = TextReport(try fixture.report(), scenarios: [fixture.scenario]).render()
    #expect(
      text.hasSuffix(
        "\nwarning few-rounds: 1 of at least 10 rounds: too few for a median of ratios;"
          + " use --rounds 10 or more\n"
      )
    )
  }

  @Test("with no reference among the peers there is no column for ratios")
  func withoutReference() throws {
    var fixture = Fixture()
    fixture.peers = [FakePeer(name: "lt", base: 2000)]
    let text = TextReport(try fixture.report(), scenarios: [fixture.scenario]).render()
    #expect(!text.contains("vs"))
    #expect(text.contains("    us   p50   p90  p99  p99.9   max  samples"))
  }
}
