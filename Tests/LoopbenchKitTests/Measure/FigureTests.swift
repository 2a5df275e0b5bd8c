import FoundationEssentials
import LoopbenchKit
import Testing

@Suite("Figure")
struct FigureTests {
  /// A peer that counts 3 of 4. It records samples from 1 to 200 ns, and ten times
  /// these samples in a companion series.
  private struct Counting: Peer {
    let name = "uv"
    let scenario = "fake"
    let series = ["one"]
    let summary = "counts"

    func measure(_ slice: inout Slice) {
      slice.count(3, as: "good")
      slice.count(4, as: "all")
      for sample in 1...200 {
        slice.record(nanoseconds: Double(sample))
        slice.record(nanoseconds: Double(10 * sample), as: "one.tenfold")
      }
    }
  }

  private func fixture() -> Fixture {
    let one = Series(
      name: "one",
      summary: "a time",
      workload: Workload(warmUps: 0, samples: 200, operations: 1)
    )
    var fixture = Fixture()
    fixture.scenario = Scenario(
      name: "fake",
      summary: "counts",
      series: [one, Series(name: "one.tenfold", summary: "more", recordedWith: one)],
      figures: [
        Figure("goodRatio", title: "good %", scale: 100, digits: 1) {
          $0.ratio("good", of: "all")
        },
        Figure("good", title: "good") { $0.counts["good"].map { Double($0) } },
        Figure("each", title: "each") { $0.perRound("good") },
        Figure("tail", title: "tail") { $0.value(at: .p99, of: "tenfold") },
        Figure("most", title: "most") { $0.largest(of: "tenfold") },
        Figure("slow", title: "slow", digits: 1) { $0.meanOfLargest(0.01) },
        Figure("none", title: "none") { $0.ratio("bad", of: "all") },
      ]
    )
    fixture.peers = [Counting()]
    fixture.rounds = .fixed(2)
    return fixture
  }

  @Test("figures are computed from the counts and samples of all rounds, for each series")
  func values() throws {
    for result in try fixture().report().results {
      let figures = result.figures
      #expect(figures["goodRatio"] == 0.75 && figures["good"] == 6 && figures["each"] == 3)
      #expect(abs((figures["tail"] ?? 0) - 1980) < 10 && figures["most"] == 2000)
      // The largest 1 % of the 400 samples are 199, 199, 200 and 200.
      #expect(abs((figures["slow"] ?? 0) - 199.5) < 0.5)
      #expect(figures["none"] == nil)
    }
  }

  @Test("figures are keys of a result in the JSON, and decoding restores them")
  func json() throws {
    let report = try fixture().report()
    let data = Data(report.json().utf8)
    struct Read: Decodable {
      struct Result: Decodable { let goodRatio, good: Double }
      let results: [Result]
    }
    #expect(
      try JSONDecoder().decode(Read.self, from: data).results.map(\.goodRatio) == [0.75, 0.75]
    )
    #expect(try JSONDecoder().decode(Report.self, from: data) == report)
  }

  @Test("the text report has a table of figures")
  func text() throws {
    let report = try fixture().report()
    let known = report.rendered(as: .text)
    #expect(known.contains("good %") && known.contains("75.0") && !known.contains("goodRatio"))
  }
}
