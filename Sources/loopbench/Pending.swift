import LoopbenchKit

// What other parts of loopbench bring, as far as this one needs it. Whoever
// joins the parts deletes this file, and the call of `Pending.check`.

/// What has a name on the command line, and nothing behind it here.
enum Pending {
  static func check(_ options: Options) throws(UnavailableError) {
    let asked: [(Bool, String)] = [
      (options.order != .shuffle, "--order \(options.order.rawValue)"),
      (options.warmUp != .auto, "--warmup TIME"),
      (options.rate != nil, "--rate"),
      (options.arrival != .const, "--arrival"),
      (options.dropsDisturbed, "--drop-disturbed"),
    ]
    guard let first = asked.first(where: \.0) else { return }
    throw UnavailableError(description: "\(first.1) is not built yet")
  }
}

package enum RoundOrder: String, CaseIterable, Sendable {
  case shuffle
  case abba
  case block
}

package enum WarmUp: Equatable, Sendable {
  case auto
  case duration(nanoseconds: UInt64)
}

enum TwinRule {
  case compared
  case always
  case never
}

extension Selection {
  init(
    from registry: Registry,
    scenarios: [String],
    peers: [String]?,
    placement: Placement,
    twins: TwinRule
  ) throws(SelectionError) {
    try self.init(from: registry, scenarios: scenarios, peers: peers, placement: placement)
  }
}

extension Runner {
  init(
    contenders: [Contender],
    seed: UInt64,
    rounds: RoundCount,
    order: RoundOrder,
    warmUp: WarmUp
  ) {
    self.init(contenders: contenders, seed: seed, rounds: rounds)
  }
}

struct PercentileError: Error {}

extension Percentile {
  init(_ text: String) throws(PercentileError) {
    let digits = text.hasPrefix("p") ? String(text.dropFirst()) : text
    guard digits != "max", digits != "100" else {
      self = .max
      return
    }
    guard let number = Double(digits), number > 0, number < 100 else { throw PercentileError() }
    self.init(label: digits, thousandths: Int((number * 1000).rounded()))
  }

  static func list(_ text: String) throws(PercentileError) -> [Percentile] {
    try text.split(separator: ",", omittingEmptySubsequences: false).map {
      (part) throws(PercentileError) in try Percentile(String(part))
    }
  }
}

extension Report {
  func rendered(as format: ReportFormat, style: ReportStyle, scenarios: [Scenario]) -> String {
    switch format {
    case .text: TextReport(self, scenarios: scenarios).render()
    case .json: JSONReport.render(self)
    default: "\(format.rawValue) is not built yet\n"
    }
  }
}

enum ReportSchema {
  static let text = "the schema is not built yet\n"
}

enum PlotKind: String {
  case percentile
  case time
  case histogram
}

struct PlotOptions {
  var to = Percentile.max
  var isLinear = false
  var series: [String] = []
  var peers: [String] = []
  var scenarios: [Scenario] = []
}

struct Plot {
  init(reports: [(name: String, report: Report)], kind: PlotKind, options: PlotOptions) {}
  func svg() -> String { "<!-- plots are not built yet -->\n" }
  func html() -> String { "<!-- plots are not built yet -->\n" }
  func terminal(width: Int, isASCII: Bool) -> String { "plots are not built yet\n" }
}

struct ReplayError: Error, CustomStringConvertible {
  let description: String
}

struct Replay {
  static func parse(_ text: String) throws(ReplayError) -> Replay {
    throw ReplayError(description: "replay is not built yet")
  }
}

extension Registry {
  func replaying(_ replay: Replay) -> Registry { self }
}
