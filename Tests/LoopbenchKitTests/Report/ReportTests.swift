import LoopbenchKit
import Testing

@Suite("Report")
struct ReportTests {
  @Test("a comparison computes the ratio within each round, then the median over the rounds")
  func ratios() throws {
    let report = try Fixture().report()
    let comparison = try #require(
      report.comparisons.first { ($0.peer, $0.reference, $0.percentile) == ("lt", "uv", "50") }
    )
    #expect(comparison.rounds == 10)
    // The tolerance is 0.4 %, because both values are the middle of a bucket.
    #expect(abs(comparison.ratio.median - 502.0 / 1002) < 0.004)
    #expect(abs(comparison.difference.median + 500) < 4)
    #expect(comparison.ratio.low <= comparison.ratio.median)
  }

  @Test("drift that affects both peers of a round does not change their ratio")
  func drift() throws {
    var fixture = Fixture()
    fixture.peers = [
      FakePeer(name: "uv", base: 1000, drifts: true),
      FakePeer(name: "lt", base: 500, drifts: true),
    ]
    let report = try fixture.report()
    let lt = try #require(report.results.first { $0.peer == "lt" })
    let medians = Spread(of: lt.perRound.compactMap { $0.percentiles["50"] })
    #expect(try #require(medians).high > 2 * (try #require(medians).low))
    for comparison in report.comparisons where comparison.peer == "lt" {
      #expect(comparison.ratio.high - comparison.ratio.low < 0.004)
    }
  }

  @Test("a reference is compared with the other references, but not with itself")
  func references() throws {
    let report = try Fixture().report()
    let pairs = Set(report.comparisons.map { "\($0.peer)/\($0.reference)" })
    #expect(pairs == ["uv/floor", "floor/uv", "lt/uv", "lt/floor"])
  }

  @Test("an early fire is recorded as 0 and causes a warning")
  func earlyFires() throws {
    var fixture = Fixture()
    fixture.peers = [FakePeer(name: "uv", base: 10, fires: [-5, 3])]
    let report = try fixture.report()
    #expect(report.warnings.map(\.id) == ["early-fire"])
    #expect(report.warnings.first?.text == "fake one: uv fired early 10 times")
    #expect(report.results.first?.min == 0)
  }

  @Test("a debug build and too few rounds cause warnings")
  func builds() throws {
    var fixture = Fixture()
    fixture.rounds = .fixed(2)
    let machine = Machine(
      cpu: "",
      cpus: 1,
      virtualization: "",
      os: "",
      libuv: "",
      swift: "",
      build: "debug"
    )
    let report = Report(
      try fixture.runner().run(),
      argv: [],
      machine: machine,
      placement: fixture.placement
    )
    #expect(report.warnings.map(\.id) == ["debug-build", "few-rounds"])
  }

  @Test("too few rounds are no reason for more rounds if a load made them longer")
  func slowedRounds() throws {
    let load = Warning(Doctor.load(1.5, of: 2, "during the run"))
    let advice = "use --rounds 10 or more"
    let counts = [
      (RoundCount.fixed(2), advice), (.within(nanoseconds: 1, rounds: 30), "measure again"),
    ]
    for (rounds, hint) in counts {
      var fixture = Fixture()
      fixture.rounds = rounds
      for (warnings, hint) in [([], advice), ([load], hint)] {
        let report = Report(
          try fixture.runner().run(),
          argv: [],
          machine: fixture.machine,
          placement: fixture.placement,
          warnings: warnings
        )
        #expect(report.warnings.map(\.id) == warnings.map(\.id) + ["few-rounds"])
        #expect(report.warnings.last?.hint.hasPrefix(hint) == true, "\(rounds): \(report.warnings)")
      }
    }
  }
}
