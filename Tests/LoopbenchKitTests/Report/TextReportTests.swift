import Foundation
import LoopbenchKit
import TestSupport
import Testing

@Suite("TextReport")
struct TextReportTests {
  @Test("the text of a run is the golden file")
  func golden() throws {
    let fixture = Fixture()
    let text = try fixture.report().rendered(as: .text, scenarios: [fixture.scenario])
    #expect(try text == Golden.expected(text, "report.txt"))
  }

  @Test("a report describes its scenarios, and the reader's scenarios replace missing descriptions")
  func descriptions() throws {
    let fixture = Fixture()
    let report = try fixture.report()
    let json = report.json()
    let read = try ReportFile.decode(Data(json.utf8), from: "x.json")
    let known = report.rendered(as: .text, scenarios: [fixture.scenario])
    #expect(read.rendered(as: .text, scenarios: []) == known)
    #expect(known.contains("vs uv p50"))
    let start = try #require(json.firstRange(of: "  \"descriptions\""))
    let end = try #require(json.firstRange(of: "  \"labels\""))
    let old = json[..<start.lowerBound] + json[end.lowerBound...]
    let older = try ReportFile.decode(Data(old.utf8), from: "x.json")
    #expect(older.rendered(as: .text, scenarios: [fixture.scenario]) == known)
  }

  @Test("a warning is printed with its id and a hint")
  func warnings() throws {
    var fixture = Fixture()
    fixture.rounds = .fixed(1)
    let text = try fixture.report().rendered(as: .text, scenarios: [fixture.scenario])
    #expect(
      text.hasSuffix(
        "\nwarning few-rounds: 1 of at least 10 rounds: too few for a median of ratios;"
          + " use --rounds 10 or more\n"
      )
    )
  }

  @Test("if there is no reference, a table has no ratio columns")
  func withoutReference() throws {
    var fixture = Fixture()
    fixture.peers = [FakePeer(name: "lt", base: 2000)]
    let text = try fixture.report().rendered(as: .text, scenarios: [fixture.scenario])
    #expect(!text.contains("vs"))
    #expect(text.contains("    us   p50   p90  p99  p99.9   max  samples"))
  }
}
