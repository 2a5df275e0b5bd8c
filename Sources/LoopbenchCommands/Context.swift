private import FoundationEssentials
package import LoopbenchKit

/// The environment of a command. Tests replace parts of it.
package struct Context: Sendable {
  /// The arguments, beginning with the program's name.
  package var arguments: [String]
  package var registry: Registry
  package var environment: [String: String] = [:]
  /// Whether a stream is an interactive terminal.
  package var isTerminal: @Sendable (Terminal) -> Bool = { _ in false }
  /// The width of standard output; nil means no limit.
  package var width: @Sendable () -> Int? = { nil }
  /// The width of standard error; nil means no limit.
  package var errorWidth: @Sendable () -> Int? = { nil }
  package var interruption = Interruption.none
  /// The folders to search for `loopbench-NAME`, in the order of the search.
  package var folders: [String] = []
  /// The findings of `doctor`.
  package var findings: @Sendable () -> [Finding] = { [] }
  /// Begins to watch the machine. The result returns its state since then.
  package var watch: @Sendable () -> @Sendable () -> MachineState = { { MachineState() } }
  /// The folder of baselines.
  package var baselines = ".loopbench"
  /// Runs this program in a fresh process with the given arguments. Returns the exit
  /// code of the fresh process, or nil if this process was interrupted.
  package var runAgain: @Sendable ([String]) throws(SystemError) -> Int? = { _ in nil }

  package init(arguments: [String], registry: Registry = .standard) {
    self.arguments = arguments
    self.registry = registry
  }

  /// The commands of the program that are not in the table of commands.
  package var extraCommands: [ExtraCommand] = []

  /// Lists the programs that wait in an event loop, for the first screen. Nil in a program
  /// without that screen, whose default command is `run`.
  package var loops: LoopLister?

  /// Returns the lines of the list.
  ///
  /// - Parameters:
  ///   - most: The number of programs to show.
  ///   - program: The command that the reader calls.
  package typealias LoopLister =
    @Sendable (_ most: Int, _ width: Int, _ program: String) throws -> [String]

  /// `watch`, which is a program of its own and is shown among the commands of `loopbench`.
  var watchCommand: [(name: String, summary: String)] {
    loops == nil ? [] : [("watch", "find out why the event loop of a program is late")]
  }

  /// The names of the commands and scenarios of this program.
  package var ownNames: [String] {
    Command.Name.allCases.map(\.rawValue) + extraCommands.map(\.name)
      + registry.scenarios.map(\.name)
  }

  /// The name of the program, for help and errors: `loopbench-frames`. A script that runs
  /// `loopbench` passes its own name in `LOOPBENCH_NAME`, which a reader can run.
  package var programName: String {
    let path = arguments.first ?? ""
    let name = path.split(separator: "/").last.map(String.init) ?? ""
    guard name.isEmpty || name == "loopbench" else { return name }
    let script = environment["LOOPBENCH_NAME"] ?? ""
    return script.isEmpty ? "loopbench" : script
  }

  /// The environment of this process.
  package static func process(arguments: [String]) -> Context {
    var context = Context(arguments: arguments)
    context.environment = HostProcess.environment
    context.isTerminal = { $0.isInteractive }
    context.width = { Terminal.output.isInteractive ? Terminal.output.knownWidth : nil }
    context.errorWidth = { Terminal.error.isInteractive ? Terminal.error.knownWidth : nil }
    context.interruption = .signals
    context.findings = { Doctor.findings(about: .detect()) }
    context.watch = { MachineState.watch() }
    let program = HostProcess.programPath
    context.runAgain = { (arguments) throws(SystemError) in
      try FreshProcess.run([program] + arguments) { Interruption.signals.reason != nil }
    }
    let folder = program.lastIndex(of: "/").map { String(program[..<$0]) }
    let path = (context.environment["PATH"] ?? "").split(separator: ":").map(String.init)
    // The Debian package has its programs in the second folder.
    context.folders = (folder.map { [$0, $0 + "/../lib/loopbench"] } ?? []) + path
    return context
  }
}

/// Runs the program `loopbench-NAME` for the command line `loopbench NAME`, as git
/// does.
package struct ExternalCommand {
  private static let prefix = "loopbench-"

  /// The programs of this repository, with the command that builds each in a checkout.
  private static let known = [
    "frames": (
      build: "swift build --package-path Display -c release --product loopbench-frames",
      path: "Display/.build/release/loopbench-frames"
    ),
    "peers": (
      build: "swift build --package-path Peers -c release --product loopbench-peers",
      path: "Peers/.build/release/loopbench-peers"
    ),
    "watch": (
      build: "scripts/loopbench watch --list", path: "scripts/loopbench watch"
    ),
  ]

  private let path: String
  private let arguments: [String]

  /// Returns nil if the first argument is a command or a scenario, or if there is no
  /// program of that name.
  package init?(_ context: Context) {
    var words = Self.words(context)
    guard let name = words.popFirst(), !name.hasPrefix("-") else { return nil }
    guard !context.ownNames.contains(name), !name.isEmpty, !name.contains("/") else { return nil }
    let paths = context.folders.map { "\($0)/\(Self.prefix)\(name)" }
    guard let path = paths.first(where: Self.isProgram) else { return nil }
    self.path = path
    arguments = [path] + words
  }

  /// The arguments, with `help NAME` as `NAME --help`.
  private static func words(_ context: Context) -> ArraySlice<String> {
    let words = context.arguments.dropFirst()
    guard words.first == Command.Name.help.rawValue, words.count == 2 else { return words }
    return [words[words.endIndex - 1], "--help"]
  }

  /// The error for a program of this repository that is neither beside this program nor
  /// on `PATH`. Nil if the command line names no such program.
  static func missing(_ context: Context) -> LoopbenchError? {
    guard let name = words(context).first, !context.ownNames.contains(name),
      let program = known[name]
    else { return nil }
    return .unavailable(
      "there is no program \(prefix)\(name) beside this one or on PATH; build it in a checkout"
        + " with: \(program.build); then run \(program.path)"
    )
  }

  /// Replaces this process with the program.
  ///
  /// - Returns: The error. Does not return on success.
  func become() -> LoopbenchError {
    .failed("cannot run \(path): \(HostProcess.become(path, arguments: arguments))")
  }
}

extension ExternalCommand {
  private static func isProgram(_ path: String) -> Bool {
    FileManager.default.isExecutableFile(atPath: path)
      && !FileManager.default.fileExists(atPath: path + "/.")
  }

  /// Whether `loopbench-NAME` is the program called `program`.
  static func isNamed(_ name: String, _ program: String) -> Bool { prefix + name == program }

  /// The sorted names of all external programs in `folders`.
  package static func all(in folders: [String]) -> [String] {
    let names = folders.flatMap { folder in
      // try?: a folder of PATH need not exist.
      let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      return files.filter { $0.hasPrefix(prefix) && isProgram("\(folder)/\($0)") }
    }
    return Set(names.map { String($0.dropFirst(prefix.count)) }).sorted()
  }
}
