import LoopbenchKit

extension Invocation {
  /// The commands that only print text.
  func text() throws -> ExitCode {
    let isForPeople = [.list, .help, .version].contains(options.command) && !options.isJSON
    let text = try tableText()
    try write(.output, isForPeople && output.isASCII ? ASCII.text(text) : text)
    return .success
  }

  private func tableText() throws -> String {
    switch options.command {
    case .list: ListText(context, isJSON: options.isJSON).render(options.operands.first)
    case .completion: (Completion.Shell(rawValue: options.operands[0]) ?? .bash).script
    case .man: ManualPage.render(context.registry)
    case .schema: ReportSchema.text
    case .version: HelpText.version(isJSON: options.isJSON)
    default: try help()
    }
  }

  private func help() throws -> String {
    guard let topic = options.operands.first else {
      return HelpText.overview(context)
    }
    if let command = Command.Name(rawValue: topic) {
      return HelpText.command(command, in: context.registry, of: context.programName)
    }
    let name = topic.prefix { $0 != "/" }
    guard let scenario = scenarios.first(where: { $0.name == name }) else {
      let known = context.ownNames + ExternalCommand.all(in: context.folders)
      throw LoopbenchError.unknown("command or scenario", topic, among: known)
    }
    return HelpText.scenario(scenario, peers: context.registry.peers(of: scenario))
  }
}

extension Invocation {
  /// `loopbench doctor`: checks whether this machine is fit for measuring.
  func doctor() throws -> ExitCode {
    let findings = context.findings()
    let text = options.isJSON ? findings.json() : text(findings)
    try write(.output, output.isASCII && !options.isJSON ? ASCII.text(text) : text)
    return options.isStrict && findings.contains { $0.status == .bad } ? .unfit : .success
  }

  private func text(_ findings: [Finding]) -> String {
    let width = findings.map(\.id.count).max() ?? 0
    let ansi = ANSIStyle(isOn: output.usesColor)
    // 20: a narrower text has a word on each line.
    let columns = max(20, (output.width ?? .max) - width - 8)
    let lines = findings.flatMap { finding in
      let status = finding.status.rawValue
      let word = ansi.colored(status, in: status.padded(to: 4, isLeft: true))
      let name = "\(word)  \(finding.id.padded(to: width, isLeft: true))  "
      let texts = finding.text.wrapped(to: columns)
      let fix = finding.fix.map { "→ \($0)".wrapped(to: columns, indent: 2) } ?? []
      return [name + texts[0]] + (texts.dropFirst() + fix).map { $0.indented(by: width + 8) }
    }
    return lines.map { $0 + "\n" }.joined()
  }
}
