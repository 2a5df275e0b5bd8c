import LoopbenchKit

/// `loopbench replay`: plays a recorded load against the peers.
struct ReplayCommand {
  let options: Options
  let context: Context

  func run(_ write: @escaping Program.Write) throws -> ExitCode {
    let path = options.operands[0]
    var changed = context
    changed.registry = .replay(try Self.read(path))
    return try RunCommand(options: Self.replayed(options), context: changed).run(write)
  }

  /// Those without which there is no verdict.
  private static let rounds = Bootstrap.leastRounds

  private static func read(_ path: String) throws(ReplayFileError) -> Replay {
    do {
      return try Replay.read(path)
    } catch {
      throw ReplayFileError(path: path, cause: error)
    }
  }

  /// A load takes seconds: as few rounds as say anything.
  private static func replayed(_ options: Options) -> Options {
    var replayed = options
    replayed.loadPath = options.operands[0]
    replayed.operands = ["replay"]
    if options.duration == nil { replayed.rounds = options.rounds ?? Self.rounds }
    if options.warmUp == .auto { replayed.warmUp = .rounds(1) }
    return replayed
  }
}
