private import FoundationEssentials
import LoopbenchKit

/// `loopbench replay`: plays a recorded load against the peers.
struct ReplayCommand {
  let options: Options
  let context: Context

  func run(_ write: @escaping Program.Write) throws -> ExitCode {
    let path = options.operands[0]
    let replay = try Replay.parse(try text(of: path))
    var replayed = options
    replayed.operands = ["replay"]
    var changed = context
    changed.registry = context.registry.replaying(replay)
    return try RunCommand(options: replayed, context: changed).run(write)
  }

  private func text(of path: String) throws(ReportFileError) -> String {
    do {
      let data = try Data(contentsOf: URL(filePath: path == "-" ? "/dev/stdin" : path))
      return String(decoding: data, as: UTF8.self)
    } catch {
      throw .unreadable(path)
    }
  }
}
