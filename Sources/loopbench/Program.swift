package import LoopbenchKit

/// The command line: options in, LoopbenchKit called, report out.
package struct Program {
  private let arguments: [String]
  private let registry: Registry
  private let write: (Terminal, String) throws(SystemError) -> Void

  /// - Parameters:
  ///   - arguments: With the program's name.
  ///   - write: Where text goes; tests collect it.
  package init(
    arguments: [String],
    registry: Registry = .standard,
    write: @escaping (Terminal, String) throws(SystemError) -> Void = {
      (terminal, text) throws(SystemError) in try terminal.write(text)
    }
  ) {
    self.arguments = arguments
    self.registry = registry
    self.write = write
  }

  package func run() -> ExitCode {
    do {
      let options = try OptionParser.parse(
        Array(arguments.dropFirst()),
        scenarios: registry.scenarios.map(\.name)
      )
      try execute(options)
      return .success
    } catch {
      return report(error)
    }
  }

  private func execute(_ options: Options) throws {
    switch options.command {
    case .run: try RunCommand(options: options, arguments: arguments, registry: registry).run(write)
    case .list: try write(.output, ListText.render(registry))
    case .help: try write(.output, HelpText.render(scenarios: registry.scenarios))
    case .version:
      let tool = Report.Tool.loopbench
      try write(.output, "\(tool.name) \(tool.version) (libuv \(Machine.detect().libuv))\n")
    }
  }
}

extension Program {
  private func report(_ error: any Error) -> ExitCode {
    let code = Self.exitCode(for: error)
    let hint = code == .usage ? "Try loopbench --help.\n" : ""
    // Where standard error is closed, the exit code has to do.
    try? write(.error, "loopbench: \(error)\n\(hint)")
    return code
  }

  private static func exitCode(for error: any Error) -> ExitCode {
    switch error {
    case is UsageError: .usage
    case SelectionError.peerNotInScenario, SelectionError.peerUnavailable: .unavailable
    case is SelectionError: .usage
    default: .failed
    }
  }
}
