package import LoopbenchKit

/// What a command line and a configuration file ask for.
package struct Options: Equatable, Sendable {
  package var command = Command.Name.run
  /// What stands beside the command: scenarios, files, words.
  package var operands: [String] = []
  /// The file of the load that `replay` plays.
  var loadPath: String?
  /// What was said of what is measured and how, as options, from the command line
  /// or a file: to measure the same again.
  package private(set) var measuring: [String] = []

  /// `nil` means the standard ones; `all` may be among them.
  package var peers: [String]?
  /// Series to measure, with or without their scenario's name; empty means all.
  package var series: [String] = []
  /// Scenarios to show out of a file; empty means all.
  package var shownScenarios: [String] = []

  /// For the whole run, in ns; `nil` means about 20 s.
  package var duration: UInt64?
  /// Of each peer in each series, over all rounds.
  package var samples: Int?
  /// `nil` means as many as fit.
  package var rounds: Int?
  package var order = RoundOrder.shuffle
  /// `nil` means a new one.
  package var seed: UInt64?
  package var warmUp = WarmUp.auto
  /// Operations a second in open-loop series.
  package var rate = Pace.standard.rate
  package var arrival = Pace.Arrival.const
  package var placement = PlacementChoice.automatic
  /// Whether open-loop series wait for their answers instead.
  package var isClosed = false
  /// The real-time priority of measuring threads; `nil` for the ordinary policy.
  package var priority: Int?
  /// In ns.
  package var slack = RunConditions.standard.slackNs
  package var load = BackgroundLoad.none
  /// How long a trace takes, in ns; `nil` means about 2 s.
  package var traceNs: UInt64?
  /// Whether the first peer is measured twice, for the noise floor.
  package var usesTwin = true
  /// In ns; `nil` means none.
  package var timeout: UInt64?
  package var isDryRun = false

  /// A baseline's name, or a file.
  package var baseline: String?
  /// Whether the command line names the baseline, or a file that it names does.
  package var isBaselineTrusted = true
  /// What is too slow, as it was written.
  package var rules: [String] = []
  package var isStrict = false
  package var allowsOtherMachine = false
  package var dropsDisturbed = false

  package var format = ReportFormat.text
  /// Where the whole result goes, besides what is printed; for `plot`, the picture.
  package var output: String?
  package var exports: [Export] = []
  package var plot: String?
  package var labels: [String: String] = [:]
  /// Whether `list`, `doctor` and `--version` answer in JSON.
  package var isJSON = false

  package var percentiles = Percentile.standard
  package var unit: TimeUnit?
  /// Ids of warnings not to show.
  package var hiddenWarnings: Set<String> = []
  package var isQuiet = false
  package var isVerbose = false
  package var color = Choice.auto
  package var progress = Choice.auto
  package var isASCII = false
  package var configuration: String?

  package var plotKind = PlotKind.percentile
  /// Where a plot ends, as a percentile.
  package var plotEnd: Percentile?
  package var isLinear = false
  package var isTerminalPlot = false

  package init() {}
}

extension Options {
  /// Notes that `option` was applied.
  mutating func note(_ option: Option, _ value: String?) {
    guard [.choosing, .measuring].contains(option.group) else { return }
    measuring.append(value.map { "\(option.long)=\($0)" } ?? option.long)
  }

  /// Peers to show out of a file; empty means all.
  package var shownPeers: [String] {
    guard let peers, !peers.contains(Selection.all) else { return [] }
    return peers
  }

  /// What is asked of the machine.
  package var conditions: RunConditions {
    RunConditions(priority: priority, slackNs: slack, load: load.text)
  }

  /// A file to write in a format: `--export csv=wake.csv`.
  package struct Export: Equatable, Sendable {
    package let format: ReportFormat
    package let path: String

    package init(format: ReportFormat, path: String) {
      self.format = format
      self.path = path
    }
  }

  /// Whether something is done that depends on who looks.
  package enum Choice: String, CaseIterable, Sendable {
    case auto
    case always
    case never
  }

  /// Where the threads sit.
  package enum PlacementChoice: Equatable, Sendable {
    case automatic
    case any
    case same
    case cross
    case cpus(producer: Int, loop: Int)
  }
}

extension Options {
  /// Checks that what is to be shown is in one of the files.
  ///
  /// - Throws: `LoopbenchError`, which says what is there.
  func checkNames(in reports: [Report]) throws(LoopbenchError) {
    let results = reports.flatMap(\.results)
    try Self.check(shownScenarios, in: results.map(\.scenario), "scenario")
    try Self.check(shownPeers, in: results.map(\.peer), "peer")
  }

  private static func check(
    _ wanted: [String],
    in known: [String],
    _ what: String
  ) throws(LoopbenchError) {
    guard let name = wanted.first(where: { !known.contains($0) }) else { return }
    let names = known.uniqued().joined(separator: ", ")
    throw .unavailable(
      "there is no \(what) \"\(name)\" in what was measured; there is \(names)"
    )
  }
}
