private import FoundationEssentials
import LoopbenchKit

extension Invocation {
  /// `loopbench compare`: results against a base, without measuring.
  func compare() throws -> ExitCode {
    let base = try baseline(named: options.operands[0], isTrusted: true)
    let rules = try options.rules.map { try FailRule($0) }
    let paths = options.operands.dropFirst()
    let comparisons = try paths.map { path in
      try ReportComparison(
        base: base,
        new: try ReportFile.read(path),
        rules: rules,
        allowsOtherMachine: options.allowsOtherMachine,
        dropsDisturbed: options.dropsDisturbed
      )
    }
    let texts = comparisons.map { $0.render(as: options.format, style: style) }
    try write(.output, options.format.joined(Array(zip(paths, texts))))
    let codes = comparisons.map { $0.verdict.exitCode(isStrict: options.isStrict) }
    // One that got slower outweighs one that cannot be told.
    return [.regressed, .inconclusive].first(where: codes.contains) ?? .success
  }
}

extension ReportFormat {
  /// The comparisons of several files as one output: for people each under its
  /// file's name, for programs a JSON array in the order of the files.
  fileprivate func joined(_ texts: [(path: String, text: String)]) -> String {
    guard texts.count > 1 else { return texts.map(\.text).joined() }
    return switch self {
    case .json: "[\n" + texts.map { $0.text.dropLast() }.joined(separator: ",\n") + "\n]\n"
    case .markdown: texts.map { "### `\($0.path)`\n\n\($0.text)" }.joined(separator: "\n")
    case .text, .ndjson, .csv, .hgrm, .prom:
      texts.map { "\($0.path):\n\($0.text)" }.joined(separator: "\n")
    }
  }
}

/// What a run does with its rules and its baseline: before the first round it sees
/// whether there is anything to compare, and what looks slower it measures again,
/// in fresh processes, before it says so.
struct RunComparison {
  private let invocation: Invocation
  private let base: Report?
  private let rules: [FailRule]

  /// `nil` when nothing is asked of a run.
  init?(invocation: Invocation, base: Report?, rules: [FailRule]) {
    guard base != nil || !rules.isEmpty else { return nil }
    self.invocation = invocation
    self.base = base
    self.rules = rules
  }

  private var options: Options { invocation.options }

  /// Throws what `compare` would, before anything is measured.
  func check(_ plan: RunPlan) throws(LoopbenchError) {
    try ReportComparison.check(
      base: base,
      new: plan.expectation(),
      rules: rules,
      allowsOtherMachine: options.allowsOtherMachine
    )
  }

  /// Shows what can be said of `report`, unless somebody ends the run.
  func compare(_ report: Report) throws -> ExitCode {
    guard
      !invocation.isInterrupted,
      let confirmed = try confirm(try comparison(of: report, by: rules), report)
    else {
      try invocation.write(.error, "loopbench: the run ended early, so it was not compared\n")
      return .success
    }
    // Beside a format for machines, the verdict is for people.
    let terminal: Terminal = [.text, .markdown].contains(options.format) ? .output : .error
    let format: ReportFormat = options.format == .markdown ? .markdown : .text
    try invocation.write(terminal, "\n" + confirmed.render(as: format, style: invocation.style))
    return confirmed.verdict.exitCode(isStrict: options.isStrict)
  }

  private func comparison(
    of report: Report,
    by rules: [FailRule]
  ) throws(LoopbenchError) -> ReportComparison {
    guard let base else {
      let drops = options.dropsDisturbed
      return try ReportComparison(judging: report, by: rules, dropsDisturbed: drops)
    }
    return try ReportComparison(
      base: base,
      new: report,
      rules: rules,
      allowsOtherMachine: options.allowsOtherMachine,
      dropsDisturbed: options.dropsDisturbed
    )
  }
}

extension RunComparison {
  /// Until nothing looks slower, or as many processes said so as have to; `nil` when
  /// the run was ended meanwhile.
  private func confirm(
    _ comparison: ReportComparison,
    _ report: Report
  ) throws -> ReportComparison? {
    var comparison = comparison
    for number in 1...ReportComparison.confirmations where !comparison.candidates.isEmpty {
      let candidates = comparison.candidates
      if !options.isQuiet { try invocation.write(.error, Self.note(candidates, number)) }
      let again = Repetition(invocation: invocation, of: report, candidates)
      guard let other = try again.measure() else { return nil }
      // Another rule may speak of a series that is not measured again.
      let judging = (rules.isEmpty ? FailRule.standard : rules).filter { rule in
        candidates.contains { $0.rule == rule.description }
      }
      let second = try self.comparison(of: other, by: judging)
      comparison = comparison.confirmed(by: second, rules: judging)
    }
    return comparison
  }

  private static func note(_ candidates: [ReportComparison.Finding], _ number: Int) -> String {
    let names = candidates.prefix(3).map(\.name).joined(separator: ", ")
    let more = candidates.count > 3 ? " and \(candidates.count - 3) more" : ""
    let times = "\(number) of at most \(ReportComparison.confirmations)"
    return "loopbench: \(names)\(more): slower; measured again in a fresh process (\(times))\n"
  }
}

extension Verdict {
  func exitCode(isStrict: Bool) -> ExitCode {
    switch self {
    case .regressed: .regressed
    case .inconclusive: isStrict ? .inconclusive : .success
    case .improved, .unchanged: .success
    }
  }
}

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
