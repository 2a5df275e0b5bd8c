import FoundationEssentials
import LoopbenchKit
import TestSupport
import Testing

@Suite("Formats")
struct FormatTests {
  /// Two peers and a twin in a series with companions.
  private static func fixture(samples: Int = 5, suffix: String = "") -> Fixture {
    var fixture = Fixture()
    let paced = Series(
      name: "paced",
      summary: "a made-up open loop",
      workload: Workload(warmUps: 0, samples: samples, operations: 1),
      kind: .intended
    )
    fixture.scenario = Scenario(
      name: "fake",
      summary: "what is made up",
      series: [
        paced,
        Series(
          name: "paced.service",
          summary: "the same, made up",
          recordedWith: paced,
          kind: .service
        ),
        Series(name: "paced.lag", summary: "a made-up lag", recordedWith: paced, kind: .lag),
      ]
    )
    fixture.peers = [
      PacedPeer(name: "uv", base: 20_000), PacedPeer(name: "lt" + suffix, base: 10_000),
    ]
    fixture.control = .compared
    return fixture
  }

  // The tests share one report, because measuring and comparing take longer than
  // rendering.
  private static let report = Result { try fixture().report() }

  private func rendered(_ format: ReportFormat, style: ReportStyle = ReportStyle()) throws -> String
  {
    try Self.report.get().rendered(as: format, style: style)
  }

  @Test("each format renders the golden file", arguments: ReportFormat.allCases)
  func golden(_ format: ReportFormat) throws {
    let text = try rendered(format)
    #expect(try text == Golden.expected(text, "paced.\(format.rawValue)"))
  }

  private static let hostileReport = Result {
    try fixture(suffix: "\u{1B}[2J\t\u{7F}\u{9B}\"").report()
  }

  @Test(
    "a control character in a name is escaped, so that readers can still tell names apart",
    arguments: ReportFormat.allCases
  )
  func controls(_ format: ReportFormat) throws {
    let text = try Self.hostileReport.get().rendered(as: format)
    let lines = format == .csv ? text.replacing("\r\n", with: "\n") : text
    let controls = lines.unicodeScalars.filter { $0.properties.generalCategory == .control }
    #expect(Set(controls) == ["\n"])
    let name: String? =
      switch format {
      case .text, .markdown: nil
      case .json: #""lt\u001b[2J\t\u007f\u009b\"""#
      case .csv: #","lt\u001b[2J\u0009\u007f\u009b""","#
      }
    if let name { #expect(text.contains(name)) }
  }

  @Test("two runs with the same seed produce the same JSON")
  func same() throws {
    let (fixture, style) = (Self.fixture(), ReportStyle())
    let again = try fixture.report().rendered(
      as: .json,
      style: style
    )
    #expect(try again == rendered(.json))
  }

  @Test(
    "tables leave out the least important columns on a narrow terminal",
    arguments: [10, 60, 80, 120]
  )
  func narrow(_ width: Int) throws {
    var style = ReportStyle()
    style.width = width
    let text = try rendered(.text, style: style)
    #expect(try text == Golden.expected(text, "narrow-\(width).txt"))
    let rows = text.split(separator: "\n").filter {
      $0.hasPrefix("    us") || $0.hasPrefix("    lt") || $0.hasPrefix("    uv")
    }
    #expect(!rows.isEmpty && rows.allSatisfy { $0.count <= max(width, 30) })
    // A footnote about percentiles needs their columns.
    let title = try #require(rows.first)
    #expect(text.contains("-: too few samples") == title.contains("p99"))
    // p99 and p99.9 have no value, so they are left out first.
    if width >= 60 { #expect(title.contains("max") && title.contains("verdict")) }
    #expect(try rendered(.markdown, style: style) == rendered(.markdown))
    #expect(try rendered(.csv, style: style) == rendered(.csv))
  }

  // 1,000 samples in each of 10 rounds, enough for p99.9.
  private static let resolved = Result { try fixture(samples: 1000).report() }

  private func resolved(width: Int) throws -> String {
    var style = ReportStyle()
    style.width = width
    return try Self.resolved.get().rendered(as: .text, style: style)
  }

  /// The line with the titles of the first table.
  private func head(_ text: String) throws -> Substring {
    try #require(text.split(separator: "\n").first { $0.hasPrefix("    us ") })
  }

  /// The titles of the columns of the first table, without the unit. Two spaces divide
  /// them.
  private func titles(_ text: String) throws -> [String] {
    try head(text).split(separator: #/  +/#).dropFirst().map(String.init)
  }

  @Test(
    "tables of 10,000 samples keep p99, p99.9 and max on a narrow terminal",
    arguments: [60, 80]
  )
  func tails(_ width: Int) throws {
    let text = try resolved(width: width)
    #expect(try text == Golden.expected(text, "tails-\(width).txt"))
    let titles = try titles(text)
    #expect(Set(["p50", "p99", "p99.9", "max"]).isSubset(of: titles), "\(titles)")
    #expect(!titles.contains("95 %") && !text.contains("-: too few samples"))
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= width })
  }

  @Test("a table that narrows first leaves out the ratio's interval, and the tail last")
  func dropped() throws {
    var text = try resolved(width: 200)
    let all = try titles(text)
    var (dropped, kept) = ([String](), all)
    while kept.count > 1, dropped.count < all.count {
      text = try resolved(width: head(text).count - 1)
      let titles = try titles(text)
      // The rightmost column of a rank goes first.
      dropped += kept.filter { !titles.contains($0) }.reversed()
      kept = titles
    }
    #expect(kept == ["p50"])
    #expect(dropped.first == "95 %", "\(dropped)")
    #expect(dropped.suffix(3) == ["max", "p99.9", "p99"], "\(dropped)")
    #expect(Set(dropped + kept) == Set(all))
  }

  @Test("verdicts are words, so they stay readable in plain ASCII")
  func ascii() throws {
    var style = ReportStyle()
    style.usesColor = true
    let colored = try rendered(.text, style: style)
    #expect(colored.contains("\u{1B}[32m"))
    style.usesColor = false
    style.isASCII = true
    let plain = try rendered(.text, style: style)
    #expect(plain.contains("faster"))
    #expect(plain.utf8.allSatisfy { $0 < 128 })
  }

  @Test("a style can choose scenarios and peers")
  func chosen() throws {
    var style = ReportStyle()
    style.peers = ["lt"]
    let csv = try rendered(.csv, style: style)
    #expect(csv.contains("fake,paced,lt,") && !csv.contains("fake,paced,uv,"))
    style.peers = []
    style.scenarios = ["other"]
    #expect(try !rendered(.csv, style: style).contains("fake,"))
  }

  @Test("a style can choose percentiles")
  func columns() throws {
    var style = ReportStyle()
    style.percentiles = try #require(Percentile.list("50,99.99"))
    let text = try rendered(.text, style: style)
    #expect(text.contains("p99.99") && !text.contains("p90"))
  }
}

/// A peer that records samples in three series. Each sample depends only on its
/// index.
private struct PacedPeer: Peer {
  let name: String
  let scenario = "fake"
  let series = ["paced"]
  let summary = "arithmetic"
  let base: Double

  func measure(_ slice: inout Slice) {
    for index in 0..<slice.workload.samples {
      let lag = Double(index) * 100
      slice.record(nanoseconds: base + lag)
      slice.record(nanoseconds: base, as: "paced.service")
      slice.record(nanoseconds: lag, as: "paced.lag")
    }
    slice.miss()
  }
}

@Suite("JSONReport")
struct JSONReportTests {
  @Test("the JSON of a run is the golden file")
  func golden() throws {
    var fixture = Fixture()
    fixture.peers = [FakePeer(name: "uv", base: 1000), FakePeer(name: "lt", base: 500)]
    fixture.rounds = .fixed(1)
    let json = try fixture.report().json()
    #expect(try json == Golden.expected(json, "report.json"))
  }

  @Test("a report decoded from its JSON is equal")
  func roundTrip() throws {
    let report = try Fixture().report()
    let json = report.json()
    #expect(try JSONDecoder().decode(Report.self, from: Data(json.utf8)) == report)
  }
}
