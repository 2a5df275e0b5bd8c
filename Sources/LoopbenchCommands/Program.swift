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
    case let error as LoopbenchError: ExitCode(error.kind)
    case is ConfigurationError: .usage
    default: .failed
    }
  }
}

/// What the process tells its caller. Scripts depend on the numbers.
package enum ExitCode: Int32, CaseIterable, Sendable {
  case success = 0
  case failed = 1
  case usage = 2
  case regressed = 3
  case inconclusive = 4
  case notComparable = 5
  case unavailable = 6
  case unfit = 7
  case timedOut = 124
  case interrupted = 130

  /// As help and the manual page show it.
  package var summary: String {
    switch self {
    case .success: "done; nothing was shown to be slower"
    case .failed: "something broke: a peer, a file; what could be measured is written"
    case .usage: "the command line means nothing"
    case .regressed: "something is slower than allowed, and was seen to be again"
    case .inconclusive: "too noisy to tell (only with --strict)"
    case .notComparable: "the baseline is missing, or is of something else"
    case .unavailable: "a peer, scenario or format that is not available here"
    case .unfit: "this machine is not fit for measuring (with --strict), or refuses --policy"
    case .timedOut: "--timeout ended it; what was measured is written"
    case .interrupted: "Ctrl-C ended it; what was measured is written"
    }
  }
}

extension ExitCode {
  fileprivate init(_ kind: LoopbenchError.Kind) {
    switch kind {
    case .usage: self = .usage
    case .unavailable: self = .unavailable
    case .notComparable: self = .notComparable
    case .unfit: self = .unfit
    case .failed: self = .failed
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
