private import FoundationEssentials
import LoopbenchKit

/// A run of some series once more, as it was measured before, in a fresh process.
struct Repetition {
  private let invocation: Invocation
  private let rounds: Int
  private let series: [String]
  private let scenarios: [String]

  /// - Parameter candidates: Whose series are measured.
  init(invocation: Invocation, of report: Report, _ candidates: [ReportComparison.Finding]) {
    self.invocation = invocation
    let options = invocation.options
    // -n is for all rounds: another number of them would be other rounds.
    let planned = options.rounds ?? options.samples.map { _ in RoundCount.least }
    rounds = planned ?? report.settings.rounds
    let results = report.results.filter { result in
      candidates.contains { ($0.scenario, $0.series) == (result.scenario, result.series) }
    }
    series = Set(results.map { "\($0.scenario)/\($0.companionOf ?? $0.series)" }).sorted()
    scenarios = Set(results.map(\.scenario)).sorted()
  }

  /// - Returns: What the process found; `nil` when this one was interrupted.
  func measure() throws -> Report? {
    let folder = FileManager.default.temporaryDirectory.path() + "/loopbench-\(UUID())"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    // try?: what the system's own tidying will remove.
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let (settings, result) = (folder + "/loopbench.json", folder + "/again.json")
    try RunFiles.finish(try RunFiles.open(settings), settings, "{}\n")
    let code = try invocation.context.again(arguments(settings, result))
    guard !invocation.isInterrupted, let code else { return nil }
    guard code == ExitCode.success.rawValue else {
      throw LoopbenchError.failed("measuring again in a fresh process failed with exit \(code)")
    }
    return try ReportFile.read(result)
  }

  /// The settings file of the folder has its say already, and is hidden by an empty
  /// one: it may name a baseline.
  private func arguments(_ settings: String, _ result: String) -> [String] {
    let own = ["--series", "--duration", "--rounds", "--seed", "--timeout", "--dry-run"]
    let same = invocation.options.measuring.filter { option in
      !own.contains { option == $0 || option.hasPrefix($0 + "=") }
    }
    let what =
      invocation.options.loadPath.map { ["replay"] + [$0] }
      ?? (["run"] + scenarios + ["--series=" + series.joined(separator: ",")])
    return what + same
      + ["--rounds=\(rounds)", "--config=\(settings)", "--output=\(result)", "--quiet"]
  }
}
