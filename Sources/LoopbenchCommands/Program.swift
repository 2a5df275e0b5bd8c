public import LoopbenchKit

/// Parses the command line and runs its command.
package struct Program {
  package typealias Write = (Terminal, String) throws(SystemError) -> Void

  private let context: Context
  private let write: Write

  /// - Parameter write: Writes text to a stream. Tests replace it.
  package init(
    _ context: Context,
    write: @escaping Write = { (terminal, text) throws(SystemError) in try terminal.write(text) }
  ) {
    self.context = context
    self.write = write
  }

  package func run() -> ExitCode {
    do {
      if context.arguments.dropFirst().first == Completion.request {
        try write(.output, Completion(context).reply(to: Array(context.arguments.dropFirst(2))))
        return .success
      }
      if let external = ExternalCommand(context) { throw external.become() }
      let options = try OptionParser.parse(
        Array(context.arguments.dropFirst()),
        scenarios: context.registry.scenarios.map(\.name),
        folders: context.folders,
        configuration: context.configuration
      )
      return try Invocation(options: options, context: context, write: write).run()
    } catch {
      return report(error)
    }
  }
}

extension Program {
  private func report(_ error: any Error) -> ExitCode {
    let code = (error as? LoopbenchError)?.code ?? .failed
    let hint = code == .usage ? "Try loopbench --help.\n" : ""
    // try?: if standard error is closed, the exit code is the only report of the
    // error.
    try? write(.error, shown("loopbench: \(error)\n\(hint)"))
    return code
  }

  /// Replaces characters beyond ASCII if `--ascii` is given, even if the command
  /// line could not be parsed.
  private func shown(_ text: String) -> String {
    var options = Options()
    options.isASCII = context.arguments.contains("--ascii")
    return (context.outputStyle(options).isASCII ? ASCII.text(text) : text).printable
  }
}

/// The command line of a program that measures its own scenarios and peers.
public enum Loopbench {
  /// Runs the command line of the process with the scenarios and peers of `registry`,
  /// and exits.
  ///
  /// A program that consists of this call has every command, option, format and plot of
  /// `loopbench`. If the program is called `loopbench-NAME`, the command `loopbench
  /// NAME` runs it.
  ///
  /// ```swift
  /// Loopbench.main(Registry(scenarios: [mine], peers: [MyPeer()]))
  /// ```
  ///
  /// Call on the main thread, outside any `async` function, because some peers are
  /// measured on that thread.
  public static func main(_ registry: Registry = .standard) -> Never {
    HostProcess.keepDescriptors()
    HostProcess.guardSignals()
    var context = Context.process(arguments: CommandLine.arguments)
    context.registry = registry
    HostProcess.end(with: Program(context).run())
  }
}
