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
