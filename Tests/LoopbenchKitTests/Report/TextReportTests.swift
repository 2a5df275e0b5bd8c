import LoopbenchKit
import Testing

@Suite("TextReport")
struct TextReportTests {
  @Test("the text of a known run is this text")
  func golden() throws {
    let fixture = Fixture()
    let text = TextReport(try fixture.report(), scenarios: [fixture.scenario]).render()
    #expect(text == goldenText)
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
    #expect(text.contains("    us   p50   p90   p99  p99.9   max  samples"))
  }

  private let goldenText = """
    loopbench 0.1.0 · libuv 1.44.2 · Swift 6.3 release
    Abacus 9 · 2 CPUs · KVM · Linux 6.1 x86_64
    10 rounds, shuffled by seed 7 · threads not placed

    fake: what is made up
      one: a made-up time
        ns      p50   p90   p99  p99.9   max  samples   vs uv p50 (range)  at p99  vs floor              ns above uv  CPU/wall
        uv     1002  1004  1004   1004  1004       50                                 9.83x                               0.50
        floor   102   104   104    104   104       50  0.10x (0.10..0.10)   0.10x            -900.5 (-900.5..-900.5)      0.50
        lt      502   504   504    504   504       50  0.50x (0.50..0.50)   0.50x     4.92x  -500.2 (-500.2..-500.2)      0.50

    """
}
