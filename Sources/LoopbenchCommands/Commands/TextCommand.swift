import LoopbenchKit

/// The commands that only print what the tables say.
struct TextCommand {
  let options: Options
  let context: Context

  func run(_ write: @escaping Program.Write) throws -> ExitCode {
    let isForPeople = [.list, .help, .version].contains(options.command) && !options.isJSON
    let text = try text()
    let isPlain = isForPeople && context.look(options).isASCII
    try write(.output, isPlain ? ASCII.text(text) : text)
    return .success
  }

  private func text() throws -> String {
    switch options.command {
    case .list: ListText(context, isJSON: options.isJSON).render(options.operands.first)
    case .completion:
      CompletionScript(context.registry)
        .text(for: CompletionScript.Shell(rawValue: options.operands[0]) ?? .bash)
    case .man: ManualPage.render(context.registry)
    case .schema: ReportSchema.text
    case .version: VersionText.render(isJSON: options.isJSON)
    default: try help()
    }
  }

  private func help() throws -> String {
    let registry = context.registry
    guard let topic = options.operands.first else {
      return HelpText.overview(scenarios: registry.scenarios)
    }
    if let command = Command.Name(rawValue: topic) { return HelpText.command(command) }
    guard let scenario = registry.scenarios.first(where: { $0.name == topic }) else {
      let known = context.ownNames + ExternalCommand.all(in: context.folders)
      throw LoopbenchError.unknown("command or scenario", topic, among: known)
    }
    return HelpText.scenario(scenario, peers: registry.peers(of: scenario))
  }
}

/// `loopbench doctor`: is this machine fit for measuring?
struct DoctorCommand {
  let options: Options
  let context: Context

  func run(_ write: @escaping Program.Write) throws -> ExitCode {
    let findings = context.findings()
    try write(.output, options.isJSON ? findings.json() : shown(findings))
    let worst = findings.map(\.status).max() ?? .ok
    return options.isStrict && worst == .bad ? .unfit : .success
  }

  private func shown(_ findings: [Finding]) -> String {
    context.look(options).isASCII ? ASCII.text(text(findings)) : text(findings)
  }

  private func text(_ findings: [Finding]) -> String {
    let width = findings.map(\.id.count).max() ?? 0
    let usesColor = context.look(options).usesColor
    let lines = findings.flatMap { finding in
      let id = finding.id + String(repeating: " ", count: width - finding.id.count)
      let status = Self.colored(finding.status, usesColor)
      let fix = finding.fix.map { [String(repeating: " ", count: width + 8) + "→ " + $0] } ?? []
      return ["\(status)  \(id)  \(finding.text)"] + fix
    }
    return lines.map { $0 + "\n" }.joined()
  }

  /// Padded to four columns.
  private static func colored(_ status: Finding.Status, _ usesColor: Bool) -> String {
    let (color, text) =
      switch status {
      case .ok: ("32", "ok  ")
      case .warn: ("33", "warn")
      case .bad: ("31", "bad ")
      }
    return usesColor ? "\u{1B}[\(color)m\(text)\u{1B}[0m" : text
  }
}
