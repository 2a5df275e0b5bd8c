import LoopbenchKit

/// `loopbench run`: measures, shows, writes, and compares if there is a baseline.
struct RunCommand {
  let options: Options
  let context: Context

  func run(_ write: @escaping Program.Write) throws -> ExitCode {
    let rules = try options.rules.map { try FailRule($0) }
    if options.baseline == nil, rules.contains(where: \.needsBase) {
      throw LoopbenchError.usage("--fail needs --baseline: what to compare with")
    }
    let plan = try RunPlan(options, registry: context.registry)
    guard !options.isDryRun else {
      try write(.output, plan.text)
      return .success
    }
    let base = try options.baseline.map { try Baseline.load($0, folder: context.baselines) }
    let comparing = Comparing(options: options, context: context, base: base, rules: rules)
    try comparing?.check(plan)
    try checkMachine()
    let files = try RunFiles(options, style: style, scenarios: context.registry.scenarios)
    let load = try plan.start()
    let measurements = try measure(plan, write)
    let ended = load.stop()
    guard !measurements.isEmpty else { return try nothing(measurements, write) }
    let report = report(on: measurements, plan, ended.map { [$0] } ?? [])
    // First: whoever reads the output may have gone away.
    let saved = Result { () throws(LoopbenchError) in try files.save(report) }
    try write(.output, shown(report))
    try saved.get()
    try note(files, write)
    let verdict = try comparing?.compare(report, write) ?? .success
    return exitCode(of: measurements) ?? verdict
  }

  private var style: ReportStyle { options.style(context.look(options)) }

  /// With `--strict`, a machine that spoils the figures is told before they are taken.
  private func checkMachine() throws(LoopbenchError) {
    guard options.isStrict else { return }
    let bad = context.findings().filter { $0.status == .bad }
    guard !bad.isEmpty else { return }
    let lines = bad.map { "\n  \($0.id): \($0.text)" + ($0.fix.map { "; \($0)" } ?? "") }
    throw .unfit("this machine is not fit for measuring:" + lines.joined())
  }

  private func measure(
    _ plan: RunPlan,
    _ write: @escaping Program.Write
  ) throws(PeerFailure) -> Measurements {
    var line = ProgressLine(context.look(options), isVerbose: options.isVerbose, write: write)
    defer { line.clear() }
    context.interruption.watch(timeoutNs: options.timeout ?? 0)
    return try plan.runner().run(
      progress: { line.show($0) },
      isInterrupted: { context.interruption.reason != nil }
    )
  }

  private func report(
    on measurements: Measurements,
    _ plan: RunPlan,
    _ warnings: [Report.Warning]
  ) -> Report {
    Report(
      measurements,
      argv: context.arguments,
      machine: .detect(),
      placement: plan.placement,
      labels: options.labels,
      warnings: warnings + plan.selection.warnings + measurements.failures.map { .peerFailed($0) }
        + (context.interruption.reason.map { [.endedEarly($0)] } ?? []),
      dropsDisturbed: options.dropsDisturbed
    )
  }

  private func shown(_ report: Report) -> String {
    report.hidingWarnings(options.hiddenWarnings)
      .rendered(as: options.format, style: style, scenarios: context.registry.scenarios)
  }
}

extension RunCommand {
  private func note(_ files: RunFiles, _ write: Program.Write) throws(SystemError) {
    guard !files.isEmpty, !options.isQuiet else { return }
    try write(.error, "wrote \(files.paths.joined(separator: ", "))\n")
  }

  private func nothing(
    _ measurements: Measurements,
    _ write: Program.Write
  ) throws(SystemError) -> ExitCode {
    try write(.error, "loopbench: the run ended before its first round: nothing was measured\n")
    return exitCode(of: measurements) ?? .failed
  }

  /// `nil` when it ended as it should.
  private func exitCode(of measurements: Measurements) -> ExitCode? {
    switch context.interruption.reason {
    case .interrupted: .interrupted
    case .timedOut: .timedOut
    case nil: measurements.failures.isEmpty ? nil : .failed
    }
  }
}

/// `loopbench check`: measures, and compares with a baseline or with stated times.
struct CheckCommand {
  let options: Options
  let context: Context

  func run(_ write: @escaping Program.Write) throws -> ExitCode {
    guard options.baseline != nil || !options.rules.isEmpty else {
      throw LoopbenchError.usage("check needs --baseline: what to compare with")
    }
    return try RunCommand(options: options, context: context).run(write)
  }
}

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

  private static func read(_ path: String) throws(LoopbenchError) -> Replay {
    do { return try Replay.read(path) } catch { throw .failed("\(path): \(error)") }
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
