import LoopbenchKit
private import FoundationEssentials

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
  func become() -> Failure {
    Failure(path: path, cause: HostProcess.become(path, arguments: arguments))
  }

  struct Failure: Error, CustomStringConvertible {
    let path: String
    let cause: SystemError

    var description: String { "can not run \(path): \(cause)" }
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
    var names: Set<String> = []
    for folder in folders {
      // try?: a folder of PATH need not be there.
      let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      for file in files where file.hasPrefix(prefix) && isProgram("\(folder)/\(file)") {
        names.insert(String(file.dropFirst(prefix.count)))
      }
    }
    return names.sorted()
  }
}
