package import LoopbenchKit

/// The options of a command line.
package struct Options: Equatable, Sendable {
  package var command = Command.Name.run
  /// The arguments after the command: scenarios, files or words.
  package var operands: [String] = []
  /// The file of the load that `replay` plays.
  var loadPath: String?
  /// The options of selection and measurement. A confirming run uses the same options.
  package private(set) var measuring: [String] = []

  /// The names of the peers, which may contain `all`. Nil means the standard peers.
  package var peers: [String]?
  /// The series to measure, with or without the name of their scenario. Empty means all.
  package var series: [String] = []
  /// The scenarios of a result file to show. Empty means all.
  package var shownScenarios: [String] = []

  /// The duration of the whole run in ns. Nil means about 20 s.
  package var duration: UInt64?
  /// The samples of each peer in each series, over all rounds.
  package var samples: Int?
  /// The number of rounds. Nil means the number that fits the duration.
  package var rounds: Int?
  /// The seed. Nil means a random seed.
  package var seed: UInt64?
  package var warmUp = WarmUp.auto
  /// The operations per second of open-loop series.
  package var rate = Pace.standard.rate
  package var arrival = Pace.Arrival.const
  package var placement = PlacementChoice.automatic
  package var load = BackgroundLoad.none
  /// The trace that `trace` draws, or `-` for standard input. Nil if it records one.
  package var tracePath: String?
  /// The duration of a trace in ns. Nil means about 2 s.
  package var traceNs: UInt64?
  /// Whether a peer is measured twice for the noise floor.
  package var usesTwin = true
  /// The timeout in ns. Nil means none.
  package var timeout: UInt64?
  package var isDryRun = false

  /// The name of a baseline or the path of a file.
  package var baseline: String?
  /// The texts of the rules.
  package var rules: [String] = []
  package var isStrict = false
  package var allowsOtherMachine = false

  package var format = ReportFormat.text
  /// The file for the full result or, for `plot`, for the picture.
  package var output: String?
  package var labels: [String: String] = [:]
  /// Whether `list`, `doctor` and `--version` print JSON.
  package var isJSON = false

  package var percentiles = Percentile.standard
  package var isQuiet = false
  package var color = Choice.auto
  package var progress = Choice.auto
  package var isASCII = false

  package var plotKind = PlotKind.percentile

  package init() {}
}

extension Options {
  /// Adds `option` to `measuring` if the option affects the measurement.
  mutating func note(_ option: Option, _ value: String?) {
    guard [.choosing, .measuring].contains(option.group) else { return }
    measuring.append(value.map { "\(option.long)=\($0)" } ?? option.long)
  }

  /// The peers of a result file to show. Empty means all.
  package var shownPeers: [String] {
    guard let peers, !peers.contains(Selection.all) else { return [] }
    return peers
  }

  /// Whether to use a feature of terminals.
  package enum Choice: String, CaseIterable, Sendable {
    case auto
    case always
    case never
  }

  /// The CPUs of the threads.
  package enum PlacementChoice: Equatable, Sendable {
    case automatic
    case any
    case same
    case cross
    case cpus(producer: Int, loop: Int)
  }
}

extension Options {
  /// Checks that the files contain the scenarios and peers to show.
  ///
  /// - Throws: `LoopbenchError` that lists the names in the files.
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
      "the results have no \(what) \"\(name)\"; they have \(names)"
    )
  }
}
