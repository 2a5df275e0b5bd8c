private import FoundationEssentials
import LoopbenchKit

extension Invocation {
  /// `loopbench compare`: compares results with a base, without measuring.
  func compare() throws -> ExitCode {
    let base = try baseline(named: options.operands[0])
    let rules = try options.rules.map { try FailRule($0) }
    let paths = options.operands.dropFirst()
    let comparisons = try paths.map { try options.comparison(base, try ReportFile.read($0), rules) }
    let texts = comparisons.map { $0.render(as: options.format, style: style) }
    try write(.output, options.format.joined(Array(zip(paths, texts))))
    return Verdict(of: comparisons.map(\.verdict)).exitCode(isStrict: options.isStrict)
  }
}

extension Options {
  fileprivate func comparison(
    _ base: Report?,
    _ new: Report,
    _ rules: [FailRule]
  ) throws(LoopbenchError) -> ReportComparison {
    try ReportComparison(
      base: base,
      new: new,
      rules: rules,
      allowsOtherMachine: allowsOtherMachine
    )
  }
}

extension ReportFormat {
  /// Joins the comparisons of several files, in the order of the files. The result is
  /// a JSON array, or text in which each comparison follows its file's name.
  fileprivate func joined(_ texts: [(path: String, text: String)]) -> String {
    guard texts.count > 1 else { return texts.map(\.text).joined() }
    return switch self {
    case .json: "[\n" + texts.map { $0.text.dropLast() }.joined(separator: ",\n") + "\n]\n"
    case .markdown: texts.map { "### `\($0.path)`\n\n\($0.text)" }.joined(separator: "\n")
    case .text, .csv: texts.map { "\($0.path):\n\($0.text)" }.joined(separator: "\n")
    }
  }
}

/// Checks a run against a baseline and rules. Peers that look slower are measured
/// again in fresh processes before they count as regressions.
struct BaselineCheck {
  let invocation: Invocation
  let base: Report?
  let rules: [FailRule]

  private var options: Options { invocation.options }

  /// Throws the same error as `compare(_:)` would. Call before measuring.
  func validate(_ plan: RunPlan) throws(LoopbenchError) {
    try ReportComparison.check(
      base: base,
      new: plan.expectation(),
      rules: rules,
      allowsOtherMachine: options.allowsOtherMachine
    )
  }

  /// Compares `report` and prints the comparison, unless the run was interrupted.
  func compare(_ report: Report) throws -> ExitCode {
    guard
      !invocation.isInterrupted,
      let confirmed = try confirm(report)
    else {
      try invocation.write(.error, "loopbench: the run ended early, so it was not compared\n")
      return .success
    }
    // A format for programs must be the only text on standard output.
    let terminal: Terminal = [.text, .markdown].contains(options.format) ? .output : .error
    let format: ReportFormat = options.format == .markdown ? .markdown : .text
    try invocation.write(terminal, "\n" + confirmed.render(as: format, style: invocation.style))
    return confirmed.verdict.exitCode(isStrict: options.isStrict)
  }
}

extension BaselineCheck {
  /// Measures again until no regressions are left, or all of them are confirmed.
  /// Returns nil if the process was interrupted.
  private func confirm(_ report: Report) throws -> ReportComparison? {
    var comparison = try options.comparison(base, report, rules)
    for number in 1...ReportComparison.confirmations where !comparison.candidates.isEmpty {
      let candidates = comparison.candidates
      if !options.isQuiet { try invocation.write(.error, Self.note(candidates, number)) }
      guard let other = try measureAgain(candidates, of: report) else { return nil }
      // The rules, except those that apply only to series that are not measured
      // again.
      let judging = (rules.isEmpty ? FailRule.standard : rules).filter { rule in
        candidates.contains { $0.rule == rule.description }
      }
      let second = try options.comparison(base, other, judging)
      comparison = comparison.confirmed(by: second, rules: judging)
    }
    return comparison
  }

  private static func note(_ candidates: [ReportComparison.Finding], _ number: Int) -> String {
    let names = candidates.prefix(3).map(\.name).joined(separator: ", ")
    let more = candidates.count > 3 ? " and \(candidates.count - 3) more" : ""
    let times = "\(number) of at most \(ReportComparison.confirmations)"
    return "loopbench: \(names)\(more): slower; measuring again in a fresh process (\(times))\n"
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

extension BaselineCheck {
  /// Measures the series of `candidates` again in a fresh process, with the options of
  /// the run. Returns nil if this process was interrupted.
  private func measureAgain(
    _ candidates: [ReportComparison.Finding],
    of report: Report
  ) throws -> Report? {
    let folder = FileManager.default.temporaryDirectory.path() + "/loopbench-\(UUID())"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    // try?: the system removes temporary files later.
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let result = folder + "/again.json"
    // The number of -n is divided among the rounds, so the number of rounds must
    // stay the same.
    let planned = options.rounds ?? options.samples.map { _ in RoundCount.least }
    let arguments = [
      "--rounds=\(planned ?? report.settings.rounds)", "--output=\(result)", "--quiet",
    ]
    let code = try invocation.context.runAgain(selection(candidates, of: report) + arguments)
    guard !invocation.isInterrupted, let code else { return nil }
    guard code == ExitCode.success.rawValue else {
      throw LoopbenchError.failed("measuring again in a fresh process failed with exit \(code)")
    }
    return try ReportFile.read(result)
  }

  /// The arguments of a run that measures the series of `candidates` with the
  /// options of this run.
  private func selection(
    _ candidates: [ReportComparison.Finding],
    of report: Report
  ) -> [String] {
    let own = ["--series", "--duration", "--rounds", "--seed", "--timeout", "--dry-run"]
    let same = options.measuring.filter { option in
      !own.contains { option == $0 || option.hasPrefix($0 + "=") }
    }
    if let path = options.loadPath { return ["replay", path] + same }
    let results = report.results.filter { result in
      candidates.contains { ($0.scenario, $0.series) == (result.scenario, result.series) }
    }
    let series = Set(results.map { "\($0.scenario)/\($0.companionOf ?? $0.series)" }).sorted()
    return ["run"] + Set(results.map(\.scenario)).sorted()
      + ["--series=" + series.joined(separator: ",")] + same
  }
}
