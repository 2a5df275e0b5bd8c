private import FoundationEssentials
package import LoopbenchKit

/// What a command needs beside its options. Tests bring their own.
package struct Context: Sendable {
  /// With the program's name.
  package var arguments: [String]
  package var registry: Registry
  package var environment: [String: String] = [:]
  /// Whether somebody is likely to look at it now.
  package var isTerminal: @Sendable (Terminal) -> Bool = { _ in false }
  /// The columns a table for standard output may have; `nil` is any.
  package var width: @Sendable () -> Int? = { nil }
  package var interruption = Interruption.none
  /// Where `loopbench-NAME` may be, in this order.
  package var folders: [String] = []
  /// What `doctor` says.
  package var findings: @Sendable () -> [Finding] = { [] }
  /// Where baselines are kept.
  package var baselines = ".loopbench"
  /// Runs this program in a fresh process, with these arguments; its exit code, or
  /// `nil` when this one is interrupted.
  package var again: @Sendable ([String]) throws(SystemError) -> Int? = { _ in nil }
  /// Reads the settings of a file, or of the usual one.
  package var configuration: @Sendable (String?) throws(ConfigurationError) -> Configuration? = {
    (path) throws(ConfigurationError) in try path.flatMap(Configuration.read)
  }

  package init(arguments: [String], registry: Registry = .standard) {
    self.arguments = arguments
    self.registry = registry
  }

  /// The words that are commands or scenarios of this program.
  package var ownNames: [String] {
    Command.Name.allCases.map(\.rawValue) + registry.scenarios.map(\.name)
  }

  /// That of this process.
  package static func process(arguments: [String]) -> Context {
    var context = Context(arguments: arguments)
    context.environment = HostProcess.environment
    context.isTerminal = { $0.isInteractive }
    context.width = { Terminal.output.isInteractive ? Terminal.output.knownWidth : nil }
    context.interruption = .signals
    context.findings = { Doctor.findings(about: .detect()) }
    context.configuration = { (path) throws(ConfigurationError) in try Configuration.read(path) }
    let program = HostProcess.programPath
    context.again = { (arguments) throws(SystemError) in
      try FreshProcess.run([program] + arguments) { Interruption.signals.reason != nil }
    }
    let folder = program.lastIndex(of: "/").map { String(program[..<$0]) }
    let path = (context.environment["PATH"] ?? "").split(separator: ":").map(String.init)
    context.folders = (folder.map { [$0] } ?? []) + path
    return context
  }
}

/// `loopbench NAME …` for a program `loopbench-NAME`, as git does it.
package struct ExternalCommand {
  private static let prefix = "loopbench-"

  private let path: String
  private let arguments: [String]

  /// `nil` when the first argument is ours, or no such program is found.
  package init?(_ context: Context) {
    var words = context.arguments.dropFirst()
    // `help NAME` is what the program says of itself.
    if words.first == Command.Name.help.rawValue, words.count == 2 {
      words = [words[words.endIndex - 1], "--help"]
    }
    guard let name = words.popFirst(), !name.hasPrefix("-") else { return nil }
    guard !context.ownNames.contains(name), !name.isEmpty, !name.contains("/") else { return nil }
    guard let path = Self.path(of: name, in: context.folders) else { return nil }
    self.path = path
    arguments = [path] + words
  }

  /// Runs it in place of this program.
  ///
  /// - Returns: Why it could not.
  func become() -> LoopbenchError {
    .failed("cannot run \(path): \(HostProcess.become(path, arguments: arguments))")
  }
}

extension ExternalCommand {
  private static func path(of name: String, in folders: [String]) -> String? {
    folders.map { "\($0)/\(prefix)\(name)" }.first(where: isProgram)
  }

  private static func isProgram(_ path: String) -> Bool {
    FileManager.default.isExecutableFile(atPath: path)
      && !FileManager.default.fileExists(atPath: path + "/.")
  }

  /// The names of all that are found, each once.
  package static func all(in folders: [String]) -> [String] {
    let names = folders.flatMap { folder in
      // try?: a folder of PATH need not be there.
      let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      return files.filter { $0.hasPrefix(prefix) && isProgram("\(folder)/\($0)") }
    }
    return Set(names.map { String($0.dropFirst(prefix.count)) }).sorted()
  }
}
