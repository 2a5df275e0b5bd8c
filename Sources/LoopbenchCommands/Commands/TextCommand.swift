import LoopbenchKit

extension Invocation {
  /// The commands that only print what the tables say.
  func text() throws -> ExitCode {
    let isForPeople = [.list, .help, .version].contains(options.command) && !options.isJSON
    let text = try tableText()
    try write(.output, isForPeople && look.isASCII ? ASCII.text(text) : text)
    return .success
  }

  private func tableText() throws -> String {
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
    guard let topic = options.operands.first else {
      return HelpText.overview(scenarios: scenarios)
    }
    if let command = Command.Name(rawValue: topic) { return HelpText.command(command) }
    guard let scenario = scenarios.first(where: { $0.name == topic }) else {
      let known = context.ownNames + ExternalCommand.all(in: context.folders)
      throw LoopbenchError.unknown("command or scenario", topic, among: known)
    }
    return HelpText.scenario(scenario, peers: context.registry.peers(of: scenario))
  }
}

extension Invocation {
  /// `loopbench doctor`: is this machine fit for measuring?
  func doctor() throws -> ExitCode {
    let findings = context.findings()
    let text = options.isJSON ? findings.json() : text(findings)
    try write(.output, look.isASCII && !options.isJSON ? ASCII.text(text) : text)
    let worst = findings.map(\.status).max() ?? .ok
    return options.isStrict && worst == .bad ? .unfit : .success
  }

  private func text(_ findings: [Finding]) -> String {
    let width = findings.map(\.id.count).max() ?? 0
    let usesColor = look.usesColor
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
