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
      if let screen = FirstScreen(context) {
        try write(.output, screen.text())
        return .success
      }
      if let external = ExternalCommand(context) { throw external.become() }
      if let missing = ExternalCommand.missing(context) { throw missing }
      let options = try OptionParser.parse(
        Array(context.arguments.dropFirst()),
        scenarios: context.registry.scenarios.map(\.name),
        extras: context.extraCommands.map(\.name),
        folders: context.folders
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
    let hint = code == .usage ? "Try \(context.programName) --help.\n" : ""
    // try?: if standard error is closed, the exit code is the only report of the
    // error.
    let lines = "\(context.programName): \(error)".split(
      separator: "\n",
      omittingEmptySubsequences: false
    )
    let text = lines.flatMap { String($0).wrapped(to: context.errorWidth() ?? .max, indent: 2) }
    try? write(.error, shown(text.joined(separator: "\n") + "\n" + hint))
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
    main(registry, commands: [])
  }

  /// Like `main(_:)`, with more commands. `list` and the help show them.
  public static func main(_ registry: Registry, commands: [ExtraCommand]) -> Never {
    main(registry, commands: commands, loops: nil)
  }

  /// Runs `loopbench` itself, whose first screen shows the lines of `loops`.
  package static func main(loops: @escaping Context.LoopLister) -> Never {
    main(.standard, commands: [], loops: loops)
  }

  private static func main(
    _ registry: Registry,
    commands: [ExtraCommand],
    loops: Context.LoopLister?
  ) -> Never {
    HostProcess.keepDescriptors()
    HostProcess.guardSignals()
    var context = Context.process(arguments: CommandLine.arguments)
    (context.registry, context.extraCommands, context.loops) = (registry, commands, loops)
    if let code = ExtraCommand.run(in: context) { HostProcess.end(withCode: code) }
    HostProcess.end(with: Program(context).run())
  }
}

/// A command of a program that is not one of loopbench's own.
public struct ExtraCommand: Sendable {
  /// The name on the command line.
  public let name: String
  /// One line about it, for `list` and the help.
  public let summary: String
  /// Runs the command with the arguments after its name, and returns the exit code. It
  /// also handles `--help`.
  public let run: @Sendable ([String]) -> Int32

  /// Makes a command.
  public init(
    name: String,
    summary: String,
    run: @escaping @Sendable ([String]) -> Int32
  ) {
    (self.name, self.summary, self.run) = (name, summary, run)
  }

  /// Runs the extra command that the command line names. Returns nil if there is none.
  package static func run(in context: Context) -> Int32? {
    var words = context.arguments.dropFirst()
    let isHelp = words.first == Command.Name.help.rawValue
    if isHelp { words.removeFirst() }
    guard let command = context.extraCommands.first(where: { $0.name == words.first }) else {
      return nil
    }
    return command.run(isHelp ? ["--help"] : Array(words.dropFirst()))
  }
}
