import LoopbenchKit

/// `loopbench check`: measures, and compares with a baseline or with stated times.
struct CheckCommand {
  let options: Options
  let context: Context

  func run(_ write: @escaping Program.Write) throws -> ExitCode {
    guard options.baseline != nil || !options.rules.isEmpty else {
      throw UsageError.missingOption("--baseline", command: "check", reason: "what to compare with")
    }
    return try RunCommand(options: options, context: context).run(write)
  }
}
