import LoopbenchKit

/// `loopbench compare`: results against a base, without measuring.
struct CompareCommand {
  let options: Options
  let context: Context

  func run(_ write: @escaping Program.Write) throws -> ExitCode {
    let base = try Baseline.load(options.operands[0], folder: context.baselines)
    let rules = try options.rules.map { try FailRule($0) }
    let style = options.style(context.look(options))
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
    // One that got slower outweighs one that can not be told.
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
