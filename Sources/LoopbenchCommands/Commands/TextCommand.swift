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
    case .list: try ListText(context, isJSON: options.isJSON).render(options.operands.first)
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
    if let planned = registry.planned.first(where: { $0.name == topic }) {
      return "\(planned.name): \(planned.summary)\n\n\(planned.description)\n"
    }
    guard let scenario = registry.scenarios.first(where: { $0.name == topic }) else {
      let known = context.ownNames + ExternalCommand.all(in: context.folders)
      throw UsageError.unknownCommand(topic, suggestion: Suggestion.nearest(to: topic, in: known))
    }
    return HelpText.scenario(scenario, peers: registry.peers(of: scenario))
  }
}
