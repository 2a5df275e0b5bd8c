private import FoundationEssentials
import LoopbenchKit

/// `loopbench baseline`: keeps results by name.
struct BaselineCommand {
  let options: Options
  let context: Context

  func run(_ write: @escaping Program.Write) throws -> ExitCode {
    let store = BaselineStore(folder: context.baselines)
    let words = options.operands
    switch words[0] {
    case "save":
      try store.save(try ReportFile.read(words[2]), as: words[1])
      try write(.error, "saved \(words[2]) as baseline \(words[1])\n")
    case "show": try write(.output, shown(try load(words[1])))
    case "rm":
      _ = try load(words[1])
      try store.remove(words[1])
    default: try write(.output, try store.list().map { $0 + "\n" }.joined())
    }
    return .success
  }

  private func load(_ name: String) throws(LoopbenchError) -> Report {
    do {
      return try BaselineStore(folder: context.baselines).load(name)
    } catch {
      throw LoopbenchError.notComparable("\(error)")
    }
  }

  private func shown(_ report: Report) -> String {
    report.rendered(
      as: .text,
      style: options.style(context.look(options)),
      scenarios: context.registry.scenarios
    )
  }
}

/// What results are compared with: a file, or a name that was given to one.
enum Baseline {
  /// - Throws: `LoopbenchError`, which says where it was looked for.
  static func load(_ name: String, folder: String) throws(LoopbenchError) -> Report {
    do {
      if name.contains("/") || name == "-" || FileManager.default.fileExists(atPath: name) {
        return try ReportFile.read(name)
      }
      return try BaselineStore(folder: folder).load(name)
    } catch {
      throw LoopbenchError.notComparable("\(error)")
    }
  }
}
