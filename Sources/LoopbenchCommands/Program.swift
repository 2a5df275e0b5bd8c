public import LoopbenchKit

#if canImport(Darwin)
  private import Darwin
#elseif canImport(Glibc)
  private import Glibc
#elseif canImport(Musl)
  private import Musl
#endif

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
    case let error as LoopbenchError: error.code
    case is ConfigurationError: .usage
    default: .failed
    }
  }
}

/// The command line, for a program that measures with it.
public enum Loopbench {
  /// Does what the process's arguments say, with what `registry` has, and ends
  /// the process.
  ///
  /// A program of this one line is a whole `loopbench`: every command, option,
  /// format and plot, with its own scenarios and peers. Called `loopbench-NAME`,
  /// it is found by `loopbench NAME`.
  ///
  /// ```swift
  /// Loopbench.main(Registry(scenarios: [mine], peers: [MyPeer()]))
  /// ```
  ///
  /// Call it on the main thread, outside any `async` function: that thread is
  /// one of those that measure.
  public static func main(_ registry: Registry = .standard) -> Never {
    HostProcess.keepDescriptors()
    HostProcess.guardSignals()
    var context = Context.process(arguments: CommandLine.arguments)
    context.registry = registry
    exit(Program(context).run().rawValue)
  }
}
