package import LoopbenchKit

/// The command line: options in, LoopbenchKit called, report out.
package struct Program {
  package typealias Write = (Terminal, String) throws(SystemError) -> Void

  private let context: Context
  private let write: Write

  /// - Parameter write: Where text goes; tests collect it.
  package init(
    _ context: Context,
    write: @escaping Write = { (terminal, text) throws(SystemError) in try terminal.write(text) }
  ) {
    self.context = context
    self.write = write
  }

  package func run() -> ExitCode {
    do {
      if let external = ExternalCommand(context) { throw external.become() }
      let options = try OptionParser.parse(
        Array(context.arguments.dropFirst()),
        scenarios: context.registry.scenarios.map(\.name) + context.registry.planned.map(\.name),
        folders: context.folders,
        configuration: context.configuration
      )
      return try execute(options)
    } catch {
      return report(error)
    }
  }

  private func execute(_ options: Options) throws -> ExitCode {
    switch options.command {
    case .run: try RunCommand(options: options, context: context).run(write)
    case .check: try CheckCommand(options: options, context: context).run(write)
    case .replay: try ReplayCommand(options: options, context: context).run(write)
    case .trace: try TraceCommand(options: options, context: context).run(write)
    case .report: try ReportCommand(options: options, context: context).run(write)
    case .compare: try CompareCommand(options: options, context: context).run(write)
    case .baseline: try BaselineCommand(options: options, context: context).run(write)
    case .plot: try PlotCommand(options: options, context: context).run(write)
    case .doctor: try DoctorCommand(options: options, context: context).run(write)
    case .list, .completion, .man, .schema, .help, .version:
      try TextCommand(options: options, context: context).run(write)
    }
  }
}

extension Program {
  private func report(_ error: any Error) -> ExitCode {
    let code = Self.exitCode(for: error)
    let hint = code == .usage ? "Try loopbench --help.\n" : ""
    // try?: where standard error is closed, the exit code has to do.
    try? write(.error, shown("loopbench: \(error)\n\(hint)"))
    return code
  }

  /// A command line that means nothing may still ask for ASCII.
  private func shown(_ text: String) -> String {
    var options = Options()
    options.isASCII = context.arguments.contains("--ascii")
    return (context.look(options).isASCII ? ASCII.text(text) : text).printable
  }

  private static func exitCode(for error: any Error) -> ExitCode {
    switch error {
    case BaselineError.name: .usage
    case is UsageError, is ConfigurationError, is FailRuleError: .usage
    case SelectionError.peerNotInScenario, SelectionError.peerUnavailable,
      SelectionError.notBuilt, is UnavailableError:
      .unavailable
    case is SelectionError: .usage
    case is NoBaselineError, is ComparisonError: .notComparable
    case is UnfitError, is PolicyError: .unfit
    default: .failed
    }
  }
}
