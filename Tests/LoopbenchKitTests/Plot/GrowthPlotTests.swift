import LoopbenchKit
import TestSupport
import Testing

/// A peer whose time is given for each size.
private struct SizedPeer: Peer {
  let name: String
  let scenario = "fake"
  let series: [String]
  var isReference: Bool { name == "uv" }
  let summary = "made-up times"
  let time: @Sendable (Size) -> Double

  func measure(_ slice: inout Slice) throws(PeerError) {
    guard let size = Size(of: slice.series) else { throw slice.unknownSeries }
    // Every second round is interrupted.
    let delay = slice.random(below: 2) == 0 ? 0 : 7000.0
    for _ in 0..<slice.workload.samples { slice.record(nanoseconds: time(size) + delay) }
  }
}

@Suite("GrowthPlot")
struct GrowthPlotTests {
  private static let series = [
    "posts.100", "posts.1k", "posts.10k", "posts.100k", "timers.100", "timers.100k", "loops.1",
  ]

  private static func report() throws -> Report {
    var fixture = Fixture()
    fixture.scenario = Scenario(
      name: "fake",
      summary: "made-up times",
      series: series.map {
        Series(
          name: $0,
          summary: "made up: ns per item",
          workload: Workload(warmUps: 0, samples: 3, operations: 1)
        )
      }
    )
    fixture.peers = [
      // Level.
      SizedPeer(name: "uv", series: Array(series.prefix(4))) { _ in 20 },
      SizedPeer(name: "lt", series: series) { size in
        size.kind == "timers" ? Double(size.count) / 100 + 200 : size.count > 1000 ? 25 : 10
      },
    ]
    return try fixture.report()
  }

  private static func plot(_ names: String...) throws -> Plot {
    let reports = try names.map { (name: $0, report: try report()) }
    return Plot(reports: reports, kind: .growth)
  }

  @Test(
    "the size of a series is the number at the end of its name",
    arguments: [
      ("posts.100", "posts", 100), ("posts.1k", "posts", 1000),
      ("closure.across.64", "closure.across", 64),
    ]
  )
  func size(name: String, kind: String, count: Int) {
    #expect(Size(of: name)?.kind == kind && Size(of: name)?.count == count)
  }

  @Test(
    "a name without a number at its end has no size",
    arguments: [
      "across", "posts.", "posts.k", "posts.0", "posts.many", "same.low", "posts.-5", ".", "",
    ]
  )
  func noSize(name: String) {
    #expect(Size(of: name) == nil)
  }

  @Test("a picture of growth has the expected curves")
  func picture() throws {
    let svg = try Self.plot("a.json").svg()
    #expect(XMLCheck.fault(in: svg) == nil)
    #expect(try svg == Golden.expected(svg, "growth.svg"))
  }

  @Test("several reports have a curve each, with the name of its file")
  func overlay() throws {
    let svg = try Self.plot("before.json", "after.json").svg()
    for name in ["lt · before.json", "lt · after.json", "uv · before.json"] {
      #expect(svg.contains("<title>posts, \(name)</title>"), "\(name)")
    }
  }

  @Test("a series with a single size has no chart")
  func single() throws {
    #expect(!(try Self.plot("a.json").svg().contains("loops")))
    let other = Plot(reports: [("a.json", try Fixture().report())], kind: .growth)
    #expect(other.isEmpty && other.svg().contains(">nothing to plot<"))
  }

  @Test("options choose the scenarios and peers that are drawn")
  func options() throws {
    var options = PlotOptions()
    options.peers = ["uv"]
    let reports = [(name: "a.json", report: try Self.report())]
    let svg = Plot(reports: reports, kind: .growth, options: options).svg()
    #expect(svg.contains("posts, uv") && !svg.contains(", lt") && !svg.contains("timers"))
  }
}
