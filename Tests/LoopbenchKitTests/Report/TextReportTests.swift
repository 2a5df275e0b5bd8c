import Foundation
import LoopbenchKit
import TestSupport
import Testing

@Suite("TextReport")
struct TextReportTests {
  @Test("the text of a run is the golden file")
  func golden() throws {
    let fixture = Fixture()
    let text = try fixture.report().rendered(as: .text)
    #expect(try text == Golden.expected(text, "report.txt"))
  }

  @Test("a report describes its scenarios")
  func descriptions() throws {
    let report = try Fixture().report()
    let read = try ReportFile.decode(Data(report.json().utf8), from: "x.json")
    let known = report.rendered(as: .text)
    #expect(read.rendered(as: .text) == known)
    #expect(known.contains("vs uv p50"))
  }

  @Test("a warning is printed with its id and a hint")
  func warnings() throws {
    var fixture = Fixture()
    fixture.rounds = .fixed(1)
    let text = try fixture.report().rendered(as: .text)
    #expect(
      text.hasSuffix(
        "\nwarning few-rounds: 1 of at least 10 rounds: too few for a median of ratios;"
          + " use --rounds 10 or more\n"
      )
    )
  }

  @Test("the advice of a warning names the program of the style")
  func program() throws {
    let fixture = Fixture()
    let report = Report(
      try fixture.runner().run(),
      argv: [],
      machine: fixture.machine,
      placement: fixture.placement,
      warnings: [Warning(Finding("cpus", "one CPU"))]
    )
    var style = ReportStyle()
    for name in [style.program, "scripts/loopbench"] {
      style.program = name
      for format in [ReportFormat.text, .markdown] {
        let text = report.rendered(as: format, style: style)
        #expect(text.contains("one CPU; \(name) doctor says more\n"), "\(text)")
      }
    }
  }

  @Test("a fault of the machine is at the top and beside each verdict, but a floor is not judged")
  func spoiled() throws {
    var fixture = Fixture()
    fixture.scenario = Scenario(
      name: "fake",
      summary: "made-up times",
      series: fixture.scenario.series,
      references: ["uv", "floor"],
      floors: ["floor"]
    )
    fixture.control = .compared
    let report = Report(
      try fixture.runner().run(),
      argv: [],
      machine: fixture.machine,
      placement: fixture.placement,
      warnings: [Warning(Doctor.load(2, of: 2, "during the run"))]
    )
    let text = report.rendered(as: .text)
    let lines = text.split(separator: "\n")
    let warning = lines.firstIndex { $0.hasPrefix("warning load: other processes used 2.00 of 2") }
    let table = try #require(lines.firstIndex { $0.contains("vs uv p50") })
    #expect(try #require(warning) < table)
    #expect(lines.contains { $0.hasPrefix("    lt ") && $0.contains("faster (busy)") })
    let floor = try #require(lines.first { $0.hasPrefix("    floor ") })
    #expect(floor.contains(" floor ") && !floor.contains("faster"))
    #expect(text.contains("a floor (floor) does the work with as little as possible"))
    // Also in JSON.
    let judged = report.comparisons.filter { $0.peer == "floor" }
    #expect(!judged.isEmpty && judged.allSatisfy { $0.verdict == .floor })
  }

  @Test("the legend explains each peer except lt and uv")
  func legend() throws {
    var fixture = Fixture()
    fixture.peers = [
      FakePeer(name: "uv", base: 1000),
      FakePeer(name: "lt.kept", summary: "keeps one", base: 1),
    ]
    fixture.control = .compared
    let report = try fixture.report()
    for format in [ReportFormat.text, .markdown] {
      let text = report.rendered(as: format)
      #expect(text.split(separator: "lt.kept: keeps one\n").count == 2, "\(text)")
      #expect(!text.contains("uv.again: "))
    }
  }

  @Test("a narrow table first leaves out columns without a value")
  func unresolved() throws {
    var style = ReportStyle()
    let report = try Fixture().report()
    // 50 samples have no p99 and no p99.9.
    func titles(_ width: Int?) throws -> [Substring] {
      style.width = width
      let text = report.rendered(as: .text, style: style)
      let line = try #require(text.split(separator: "\n").first { $0.contains("p50  ") })
      return line.split(separator: " ")
    }
    let wide = try titles(nil)
    #expect(wide.contains("p99") && wide.contains("p99.9") && wide.contains("samples"))
    // The table has 150 columns.
    let narrow = try titles(130)
    #expect(!narrow.contains("p99.9") && narrow.contains("samples"), "\(narrow)")
  }

  @Test("a verdict that the ratio does not explain has a reason below its table")
  func reasons() throws {
    var fixture = Fixture()
    let text = try fixture.report().rendered(as: .text)
    let reason = "no peer was measured twice, so the noise is unknown"
    #expect(text.contains("    floor, lt inconclusive: \(reason)\n"))
    fixture.rounds = .fixed(3)
    let few = try fixture.report().rendered(as: .text)
    #expect(few.contains("    floor, lt inconclusive: only 3 rounds, 6 are needed\n"))
  }

  @Test("figures are explained, and fill several tables on a narrow terminal")
  func figures() throws {
    var fixture = Fixture()
    fixture.scenario = Scenario(
      name: "fake",
      summary: "made-up times",
      series: fixture.scenario.series,
      figures: (0..<9).map { index in
        Figure("n\(index)", title: "number \(index)", summary: "the figure \(index)") { _ in 7 }
      }
    )
    var style = ReportStyle()
    style.width = 60
    let text = try fixture.report().rendered(as: .text, style: style)
    #expect(text.contains("\ncolumns:\n  number 0: the figure 0\n"))
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 60 })
    for index in 0..<9 { #expect(text.contains("  number \(index)")) }
  }

  @Test("if there is no reference, a table has no ratio columns")
  func withoutReference() throws {
    var fixture = Fixture()
    fixture.peers = [FakePeer(name: "lt", base: 2000)]
    let text = try fixture.report().rendered(as: .text)
    #expect(!text.contains("vs"))
    #expect(text.contains("    us   p50   p90  p99  p99.9   max  samples"))
  }
}
