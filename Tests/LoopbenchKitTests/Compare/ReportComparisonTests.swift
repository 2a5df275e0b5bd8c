import FoundationEssentials
import LoopbenchKit
import Testing

@Suite("ReportComparison")
struct ReportComparisonTests {
  private func fixture(uv: Double = 1000, lt: Double = 500) -> Fixture {
    var fixture = Fixture()
    fixture.peers = [FakePeer(name: "uv", base: uv), FakePeer(name: "lt", base: lt)]
    fixture.control = .compared
    return fixture
  }

  private func compare(
    _ base: Fixture,
    _ new: Fixture,
    _ rules: [String] = [],
    forced: Bool = false
  ) throws -> ReportComparison {
    try ReportComparison(
      base: try base.report(),
      new: try new.report(),
      rules: try rules.map { try FailRule($0) },
      allowsOtherMachine: forced
    )
  }

  private func error(_ base: Fixture, _ new: Fixture, _ rules: [String] = []) -> LoopbenchError? {
    #expect(throws: LoopbenchError.self) { try compare(base, new, rules) }
  }

  @Test("a run against itself is unchanged, and twins are not judged")
  func itself() throws {
    let comparison = try compare(fixture(), fixture())
    #expect(comparison.verdict == .unchanged)
    // There is no p90, because the p90 of 5 samples is the largest sample.
    #expect(comparison.findings.map(\.metric) == ["p50", "p50"])
    #expect(comparison.findings.allSatisfy { $0.ratio == 1 && !$0.peer.hasSuffix(".again") })
    #expect(comparison.notes == [])
  }

  @Test("with given rules, a slower peer regresses and a faster peer improves")
  func changes() throws {
    let comparison = try compare(fixture(), fixture(uv: 800, lt: 700), ["p50>+10%"])
    #expect(comparison.findings.map(\.peer) == ["uv", "lt"])
    #expect(comparison.findings.map(\.verdict) == [.improved, .regressed])
    #expect(comparison.verdict == .regressed)
    #expect(try compare(fixture(), fixture(lt: 700), ["p50>+50%"]).verdict == .unchanged)
    let both = fixture(uv: 800, lt: 300)
    #expect(try compare(fixture(), both, ["p50>+10%"]).verdict == .improved)
    #expect(try compare(fixture(), fixture(lt: 700), ["*/*/uv.any>+10%"]).verdict == .unchanged)
  }

  @Test("a rule that limits a time judges only the new run")
  func times() throws {
    #expect(try compare(fixture(), fixture(), ["fake/one/lt.p50>0.6us"]).verdict == .unchanged)
    #expect(try compare(fixture(), fixture(), ["fake.p50>600ns"]).verdict == .regressed)
  }

  @Test("a rule can limit the number of missed operations")
  func missed() throws {
    var late = fixture()
    late.peers = [FakePeer(name: "uv", base: 1000, misses: 2), FakePeer(name: "lt", base: 500)]
    let comparison = try compare(fixture(), late, ["missed>0"])
    #expect(comparison.findings.map(\.new) == [20, 0])
    #expect(comparison.findings.map(\.verdict) == [.regressed, .unchanged])
    #expect(try compare(fixture(), late, ["missed>20"]).verdict == .unchanged)
  }

  @Test("without a twin in either run, or with few rounds, the verdict is inconclusive")
  func noFloor() throws {
    var (base, new) = (fixture(), fixture(lt: 5000))
    (base.control, new.control) = (.never, .never)
    let comparison = try compare(base, new, ["p50>+10%"])
    #expect(comparison.verdict == .inconclusive)
    #expect(comparison.findings[1].reason == "neither run measured a peer twice (A/A)")
    base.control = .compared
    #expect(try compare(base, new, ["p50>+10%"]).verdict == .regressed)
    new.rounds = .fixed(5)
    let few = try compare(base, new, ["p50>+10%"])
    #expect(few.findings[1].reason == "only 5 rounds, 6 are needed")
    #expect(few.verdict == .inconclusive)
  }

  @Test("a run on another machine or in a debug build is refused, or noted with --force")
  func machines() throws {
    var other = fixture()
    other.machine = Machine(
      cpu: "Abacus 10",
      cpus: 2,
      virtualization: "KVM",
      os: "Linux 6.2 x86_64",
      libuv: "1.44.2",
      swift: "6.3",
      build: "debug"
    )
    #expect(
      error(fixture(), other)
        == .notComparable(
          "measured on other machines: the processor is \"Abacus 9\" in the base and"
            + " \"Abacus 10\" now; use --force to compare them anyway"
        )
    )
    let forced = try compare(fixture(), other, forced: true)
    #expect(
      forced.notes == [
        "other machines: the processor is \"Abacus 9\" in the base and \"Abacus 10\" now",
        "the base is a release build, the other a debug build",
        "system is Linux 6.1 x86_64 in the base and Linux 6.2 x86_64 now",
      ]
    )
  }

  @Test("a run with other settings is refused")
  func settings() throws {
    var (placed, larger) = (fixture(), fixture())
    placed.placement = Placement(cpuCount: 2, loop: nil, producer: 0)
    #expect(
      error(fixture(), placed)?.description.hasPrefix("measured in other ways: placement is")
        ?? false
    )
    larger.scenario = Scenario(
      name: "fake",
      summary: "",
      series: [
        Series(
          name: "one",
          summary: "",
          workload: Workload(warmUps: 0, samples: 6, operations: 1)
        )
      ]
    )
    #expect(
      error(fixture(), larger)
        == .notComparable(
          "measured in other ways: the number of samples per round of fake/one/uv is 5 in the base and"
            + " 6 now; measure the base again with the same options"
        )
    )
  }

  @Test("reports without common results are refused, and so are rules that cover nothing")
  func nothing() {
    var other = fixture()
    other.peers = [FakePeer(name: "floor", base: 1)]
    #expect(
      error(fixture(), other)
        == .notComparable("the two reports have no scenario, series and peer in common")
    )
    #expect(
      error(fixture(), fixture(), ["wake.p50>1us"])
        == .notComparable(
          "the rule wake.p50>1us covers nothing that both reports contain;"
            + " did you mean \"fake.p50>1us\"?"
        )
    )
  }

  @Test("a result that only one report contains is noted")
  func unmatched() throws {
    var other = fixture()
    other.peers = [FakePeer(name: "uv", base: 1000), FakePeer(name: "floor", base: 100)]
    let notes = try compare(fixture(), other).notes
    #expect(notes == ["fake/one/lt is in the base only", "fake/one/floor is new"])
  }

  @Test("a comparison renders as text with a table and the verdict")
  func text() throws {
    let comparison = try compare(fixture(), fixture(uv: 800, lt: 700), ["p50>+10%"])
    let expected = """
                           base    new              ratio (95 %)       noise  fails if    verdict
        fake/one/uv p50  1002ns  802ns        0.80x (0.80..0.80)  1.00..1.00  p50>+10%   improved
        fake/one/lt p50   502ns  701ns  1.75x (1.75..1.75) vs uv  1.00..1.00  p50>+10%  regressed

      verdict: regressed (1 improved, 1 regressed)

      """
    #expect(comparison.render(as: .text) == expected)
    var style = ReportStyle()
    style.usesColor = true
    let colored = comparison.render(as: .text, style: style)
    #expect(colored.contains(" \u{1B}[32mimproved\u{1B}[0m\n"))
    #expect(colored.contains(" \u{1B}[31mregressed\u{1B}[0m\n"))
    style.peers = ["lt"]
    #expect(!comparison.render(as: .text, style: style).contains("fake/one/uv"))
  }

  @Test("a comparison renders as Markdown with a table, notes and the verdict")
  func markdown() throws {
    var other = fixture()
    other.peers = [FakePeer(name: "uv", base: 1000)]
    let lines = try compare(fixture(), other, ["p50>+10%"]).render(as: .markdown)
      .split(separator: "\n", omittingEmptySubsequences: false)
    #expect(
      lines == [
        "|  | base | new | ratio (95 %) | noise | fails if | verdict |",
        "| :-- | --: | --: | --: | --: | --: | --: |",
        "| fake/one/uv p50 | 1.00us | 1.00us | 1.00x (1.00..1.00) | 1.00..1.00 | p50>+10% | unchanged |",
        "", "- note: fake/one/lt is in the base only",
        "", "**verdict: unchanged (1 unchanged)**", "",
      ]
    )
  }

  @Test("a comparison decoded from its JSON is equal")
  func json() throws {
    let comparison = try compare(fixture(), fixture(lt: 700))
    let json = comparison.render(as: .json)
    #expect(json.contains("\"schema\" : \"loopbench-comparison/1\""))
    #expect(try JSONDecoder().decode(ReportComparison.self, from: Data(json.utf8)) == comparison)
  }
}
