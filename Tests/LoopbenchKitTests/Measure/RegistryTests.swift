import LoopbenchKit
import Testing

@Suite("Closed loop")
struct ClosedTests {
  @Test("a closed registry replaces an open-loop series and its companions with one series")
  func registry() throws {
    let wake = try #require(Registry.standard.closed.scenarios.first { $0.name == "wake" })
    #expect(
      wake.series.map(\.name) == ["across", "across.roundtrip", "same", "same.low", "closed"]
    )
    #expect(!wake.series.contains { $0.kind == .intended || $0.kind == .lag })
    let others = Registry.standard.closed.scenarios.filter { $0.name != "wake" }
    #expect(
      others.map { $0.series.map(\.name) }
        == Registry.standard.scenarios.filter { $0.name != "wake" }.map { $0.series.map(\.name) }
    )
  }

  @Test("a closed run reports a throughput and warns about the tail")
  func throughput() throws {
    let registry = Registry.standard.closed.taking(samples: 20, in: 1)
    let placement = Placement.detect()
    guard placement.cpuCount > 1 else { return }
    let selection = try Selection(
      from: registry,
      scenarios: ["wake"],
      peers: ["uv", "lt"],
      placement: placement,
      control: .never
    )
    let closed = selection.contenders.filter { $0.series.name == "closed" }
    #expect(closed.map(\.peerName).sorted() == ["lt", "uv"])
    let measurements = try Runner(contenders: closed, seed: 1, rounds: .fixed(2)).run()
    let report = Report(measurements, argv: [], machine: Fixture.machine, placement: placement)
    #expect(report.results.map(\.count) == [40, 40])
    #expect(report.warnings.map(\.id).contains("closed-loop"))
    let text = report.rendered(as: .text)
    #expect(text.contains("  closed: two CPUs, closed loop, no pause"))
    let title = "throughput, 1 / mean round trip (95 %): uv "
    let throughput = try #require(text.firstRange(of: title))
    #expect(
      text[throughput.upperBound...].prefix { $0 != "\n" }
        .wholeMatch(of: /\d+\/s \(\d+\.\.\d+\) · lt \d+\/s \(\d+\.\.\d+\)/) != nil
    )
    #expect(!text.contains("open loop at"))
    #expect(!text.contains("closed.ns"))
  }
}
