import LoopbenchKit

/// `loopbench trace`: a time line of a short run.
struct TraceCommand {
  let options: Options
  let context: Context

  /// A trace is for looking at: a few samples of each say what many would.
  private static let samples = 50
  private static let timeNs: UInt64 = 2_000_000_000

  func run(_ write: @escaping Program.Write) throws -> ExitCode {
    guard let path = options.output else {
      throw UsageError.missingOption("-o FILE", command: "trace", reason: "where to write")
    }
    let plan = try RunPlan(traced, registry: context.registry)
    let file = try RunFiles.open(path)
    let trace = try record(plan, write)
    try RunFiles.finish(file, path, trace.render())
    if !options.isQuiet { try write(.error, "wrote \(path), \(trace.count) events\n") }
    return context.interruption.reason == nil ? .success : .interrupted
  }

  private func record(_ plan: RunPlan, _ write: Program.Write) throws -> TraceFile {
    let load = try plan.start()
    context.interruption.watch(timeoutNs: 0)
    let trace = try plan.tracer().run(
      forNs: options.traceNs ?? Self.timeNs,
      isInterrupted: { context.interruption.reason != nil }
    )
    if let warning = load.stop() { try write(.error, "loopbench: \(warning.text)\n") }
    return trace
  }

  private var traced: Options {
    var traced = options
    traced.samples = options.samples ?? Self.samples
    traced.rounds = 1
    traced.usesTwin = false
    return traced
  }
}
