import LoopbenchKit

/// `loopbench compare`: results against a base, without measuring.
struct CompareCommand {
  let options: Options
  let context: Context

  func run(_ write: @escaping Program.Write) throws -> ExitCode {
    let base = try Baseline.load(options.operands[0], folder: context.baselines)
    let rules = try options.rules.map { try FailRule($0) }
    let style = options.style(context.look(options))
    var codes: [ExitCode] = []
    for path in options.operands.dropFirst() {
      let comparison = try ReportComparison(
        base: base,
        new: try ReportFile.read(path),
        rules: rules,
        allowsOtherMachine: options.allowsOtherMachine,
        dropsDisturbed: options.dropsDisturbed
      )
      try write(.output, comparison.render(as: options.format, style: style))
      codes.append(comparison.verdict.exitCode(isStrict: options.isStrict))
    }
    // One that got slower outweighs one that can not be told.
    return [.regressed, .inconclusive].first(where: codes.contains) ?? .success
  }
}
