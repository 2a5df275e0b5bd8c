import LoopbenchKit

/// `loopbench report`: shows results out of files.
struct ReportCommand {
  let options: Options
  let context: Context

  func run(_ write: @escaping Program.Write) throws -> ExitCode {
    let scenarios = context.registry.scenarios
    let files = try RunFiles(options, style: style, scenarios: scenarios)
    let reports = try options.operands.map { try ReportFile.read($0) }
    if !files.isEmpty, reports.count > 1 {
      throw UsageError.extraArgument(options.operands[1], command: "report with a file to write")
    }
    let texts = reports.map { $0.rendered(as: options.format, style: style, scenarios: scenarios) }
    try options.checkNames(in: reports)
    let isForPeople = [.text, .markdown].contains(options.format)
    if let report = reports.first { try files.save(report) }
    try write(.output, texts.joined(separator: isForPeople ? "\n" : ""))
    return .success
  }

  private var style: ReportStyle {
    var style = options.style(context.look(options))
    style.scenarios = options.shownScenarios
    style.peers = options.shownPeers
    return style
  }
}
