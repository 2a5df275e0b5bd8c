import LoopbenchKit
import Testing

@Suite("Finding")
struct FindingTests {
  private func compare(
    _ base: [any Peer],
    _ new: [any Peer],
    _ rules: [String] = ["p50>+10%"],
    scenario: Scenario? = nil
  ) throws -> ReportComparison {
    let reports = try [base, new].map { peers in
      var fixture = Fixture()
      fixture.scenario = scenario ?? fixture.scenario
      fixture.peers = peers
      fixture.control = .compared
      return try fixture.report()
    }
    return try ReportComparison(
      base: reports[0],
      new: reports[1],
      rules: try rules.map { try FailRule($0) }
    )
  }

  private func peers(uv: Double, lt: Double) -> [any Peer] {
    [FakePeer(name: "uv", base: uv, isReference: true), FakePeer(name: "lt", base: lt)]
  }

  @Test("a machine that is slower in one run does not affect the ratio to the reference")
  func machine() throws {
    let comparison = try compare(peers(uv: 1000, lt: 500), peers(uv: 1500, lt: 750))
    #expect(comparison.findings.map(\.peer) == ["lt"])
    #expect(comparison.findings[0].reference == "uv")
    #expect(comparison.findings[0].verdict == .unchanged)
    let slower = try compare(peers(uv: 1000, lt: 500), peers(uv: 900, lt: 540))
    #expect(slower.verdict == .regressed)
  }

  @Test("a ratio is inconclusive if it changed only because of the reference")
  func reference() throws {
    let faster = try compare(peers(uv: 1000, lt: 500), peers(uv: 700, lt: 505))
    #expect(faster.verdict == .inconclusive)
    #expect(faster.findings[0].reason == "uv got faster, but lt did not get slower")
    let slower = try compare(peers(uv: 1000, lt: 500), peers(uv: 1500, lt: 495))
    #expect(slower.findings[0].reason == "uv got slower, but lt did not get faster")
  }

  @Test("a regression remains a regression only if every fresh process confirms it")
  func confirmed() throws {
    let (slow, fine) = (
      try compare(peers(uv: 1000, lt: 500), peers(uv: 1000, lt: 700)),
      try compare(peers(uv: 1000, lt: 500), peers(uv: 1000, lt: 500))
    )
    #expect(slow.candidates.map(\.name) == ["fake/one/lt p50"])
    let rules = [try FailRule("p50>+10%")]
    let twice = slow.confirmed(by: slow, rules: rules).confirmed(by: slow, rules: rules)
    #expect(twice.verdict == .regressed)
    #expect(twice.findings[0].again?.count == 2)
    let not = slow.confirmed(by: slow, rules: rules).confirmed(by: fine, rules: rules)
    #expect(not.verdict == .inconclusive && not.candidates.isEmpty)
    #expect(not.confirmed(by: slow, rules: rules) == not)
    #expect(not.render(as: .text).contains("a fresh process did not confirm it"))
    #expect(fine.confirmed(by: slow, rules: rules) == fine)
  }

  @Test("a rule covers a companion series only if it names that series")
  func companions() throws {
    let paced = Series(
      name: "paced",
      summary: "",
      workload: Workload(warmUps: 0, samples: 5, operations: 1),
      kind: .intended
    )
    let scenario = Scenario(
      name: "fake",
      summary: "",
      series: [
        paced, Series(name: "paced.service", summary: "", recordedWith: paced, kind: .service),
        Series(name: "paced.lag", summary: "", recordedWith: paced, kind: .lag),
      ]
    )
    let floor = LaggingPeer(name: "uv", lag: 1, isReference: true)
    let (base, new) = (
      [floor, LaggingPeer(name: "lt", lag: 100)], [floor, LaggingPeer(name: "lt", lag: 900)]
    )
    for rule in ["p50>+10%", "any>+10%", "fake.p50>+10%", "fake/*/lt.p50>+10%"] {
      let comparison = try compare(base, new, [rule], scenario: scenario)
      #expect(comparison.verdict == .unchanged)
      #expect(Set(comparison.findings.map(\.series)) == ["paced"])
    }
    #expect(try compare(base, new, [], scenario: scenario).verdict == .unchanged)
    let named = try compare(base, new, ["fake/paced.lag.p50>+10%"], scenario: scenario)
    #expect(named.verdict == .regressed)
  }

  @Test("an unresolved percentile is inconclusive if a rule names it, and is left out otherwise")
  func unresolved() throws {
    let pair = (peers(uv: 1000, lt: 500), peers(uv: 1000, lt: 900))
    let asked = try compare(pair.0, pair.1, ["p99.9>+10%", "p90>900ns"])
    #expect(asked.findings.map(\.verdict) == [.inconclusive, .inconclusive])
    #expect(
      asked.findings[0].reason
        == "a round has too few samples to tell p99.9 from the largest sample"
    )
    #expect(asked.render(as: .text).contains("fake/one/lt p99.9"))
    #expect(try compare(pair.0, pair.1, ["any>+10%"]).findings.map(\.metric) == ["p50", "max"])
    #expect(try compare(pair.0, pair.1, []).findings.map(\.metric) == ["p50"])
  }
}

/// A peer whose operations all take 10 us and all start late by `lag`.
private struct LaggingPeer: Peer {
  let name: String
  let scenario = "fake"
  let series = ["paced"]
  let summary = "made up"
  let lag: Double
  var isReference = false

  func measure(_ slice: inout Slice) {
    for _ in 0..<slice.workload.samples {
      slice.record(nanoseconds: 10_000)
      slice.record(nanoseconds: 10_000, as: "paced.service")
      slice.record(nanoseconds: lag, as: "paced.lag")
    }
  }
}

@Suite("Verdict")
struct VerdictTests {
  private static let quiet = Interval(low: 0.99, high: 1.01)
  private static let noisy = Interval(low: 0.97, high: 1.3)

  @Test(
    "a change counts only if its whole interval exceeds the threshold and the noise",
    arguments: [
      (1.11, 1.2, quiet, Verdict.regressed), (1.1, 1.2, quiet, .inconclusive),
      (1.11, 1.2, noisy, .inconclusive), (1.31, 1.4, noisy, .regressed),
      (0.8, 0.9, quiet, .improved), (0.8, 0.92, quiet, .inconclusive),
      (0.7, 0.75, noisy, .improved), (0.75, 0.8, noisy, .inconclusive),
      (0.95, 1.05, quiet, .unchanged), (0.95, 1.05, noisy, .unchanged),
      (0.5, 2, quiet, .inconclusive),
    ]
  )
  func ratios(low: Double, high: Double, floor: Interval, expected: Verdict) {
    let interval = Interval(low: low, high: high)
    #expect(Verdict(interval, threshold: 0.1, floor: floor) == expected)
  }

  @Test("a time exceeds its limit only if its whole interval does")
  func times() {
    #expect(Verdict(Interval(low: 26, high: 30), limit: 25) == .regressed)
    #expect(Verdict(Interval(low: 25, high: 30), limit: 25) == .inconclusive)
    #expect(Verdict(Interval(low: 20, high: 25), limit: 25) == .unchanged)
  }

  @Test("the overall verdict is the worst verdict")
  func worst() {
    #expect(Verdict(of: []) == .unchanged)
    #expect(Verdict(of: [.unchanged, .improved]) == .improved)
    #expect(Verdict(of: [.inconclusive, .improved]) == .inconclusive)
    #expect(Verdict(of: Verdict.allCases) == .regressed)
  }

  @Test("a peer is faster or slower only if the difference exceeds the noise of a twin")
  func peers() {
    func verdict(_ low: Double, _ high: Double, rounds: Int = 10, _ noise: Interval? = Self.quiet)
      -> ComparisonVerdict
    {
      ComparisonVerdict(
        Interval(low: low, high: high),
        ratio: (low + high) / 2,
        rounds: rounds,
        noise: noise
      )
    }
    #expect(verdict(0.8, 0.98) == .faster)
    #expect(verdict(1.02, 1.2) == .slower)
    #expect(verdict(0.8, 0.995) == .inconclusive)
    // A certain difference of less than a factor of 1.05.
    #expect(verdict(0.95, 0.98) == .same && verdict(1.02, 1.04) == .same)
    // An interval within 10 %.
    #expect(verdict(0.91, 1.08) == .same && verdict(0.89, 1.08) == .inconclusive)
    #expect(verdict(0.96, 1.04) == .same)
    #expect(verdict(1.02, 1.2, Self.noisy) == .same)
    #expect(verdict(0.5, 0.6, rounds: 5) == .inconclusive)
    #expect(verdict(0.5, 0.6, nil) == .inconclusive)
  }
}
