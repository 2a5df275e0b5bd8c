import LoopbenchKit
import Testing

@Suite("Plot")
struct PlotTests {
  /// The kinds that every report can be drawn as.
  static let kinds = PlotKind.allCases.filter { $0 != .growth }

  private func plot(
    _ kind: PlotKind,
    _ names: String...,
    options: PlotOptions = PlotOptions()
  ) throws -> Plot {
    let reports = try names.map { (name: $0, report: try Fixture().report()) }
    return Plot(reports: reports, kind: kind, options: options)
  }

  @Test("an SVG is well-formed XML and has a title for every curve", arguments: PlotTests.kinds)
  func svg(_ kind: PlotKind) throws {
    let svg = try plot(kind, "a <b> & \"c\".json").svg()
    #expect(XMLCheck.fault(in: svg) == nil)
    for peer in ["uv", "floor", "lt"] {
      #expect(svg.contains("<title>") && svg.contains(peer), "\(kind) has no \(peer)")
    }
    #expect(svg.contains("prefers-color-scheme:dark"))
    for fault in ["nan", "inf"] {
      #expect(!svg.contains(fault + "\"") && !svg.contains(fault + " "), "\(fault)")
    }
  }

  @Test("the figures beside a histogram end within the picture", arguments: [1, 2, 3, 5])
  func figures(reports: Int) throws {
    let reports = try (0..<reports).map { (name: "\($0).json", report: try Fixture().report()) }
    let svg = Plot(reports: reports, kind: .histogram, options: PlotOptions()).svg()
    let words = svg.matches(of: /<text[^>]* x="668[^>]*>([^<]*)</).map(\.1)
    #expect(!words.isEmpty && words.contains { $0.hasPrefix("p50 ") }, "\(svg)")
    // The space has 132 units, and a character has at most 8.
    #expect(words.allSatisfy { $0.count <= 16 }, "\(words)")
  }

  @Test("a plot of several files names each file", arguments: PlotTests.kinds)
  func overlay(_ kind: PlotKind) throws {
    let svg = try plot(kind, "before.json", "after.json").svg()
    #expect(svg.contains("before") && svg.contains("after"))
    let titles = svg.ranges(of: "<title>").count
    #expect(titles > (try plot(kind, "before.json").svg().ranges(of: "<title>").count))
  }

  @Test("a plot without results says so")
  func nothing() throws {
    var options = PlotOptions()
    options.peers = ["nobody"]
    let plot = try plot(.percentile, "a.json", options: options)
    #expect(plot.isEmpty)
    #expect(plot.svg().contains(">nothing to plot<"))
  }
}
