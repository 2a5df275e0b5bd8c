import LoopbenchKit

/// One invocation of the program: its options and its output.
struct Invocation {
  var options: Options
  var context: Context
  let write: Program.Write

  var output: OutputStyle { context.outputStyle(options) }

  var style: ReportStyle {
    var style = options.style(output)
    style.program = context.programName
    return style
  }

  var scenarios: [Scenario] { context.registry.scenarios }

  var isInterrupted: Bool { context.interruption.reason != nil }

  /// Runs the command.
  func run() throws -> ExitCode {
    switch options.command {
    case .run, .compareLibuv: try measure()
    case .check: try check()
    case .replay: try replay()
    case .trace: try trace()
    case .report: try report()
    case .compare: try compare()
    case .baseline: try baseline()
    case .plot: try plot()
    case .doctor: try doctor()
    case .list, .completion, .man, .schema, .help, .version: try text()
    }
  }
}

extension Invocation {
  /// `loopbench run` and `compare-libuv`: measures, prints and writes, and compares with a baseline.
  private func measure() throws -> ExitCode {
    let rules = try options.rules.map { try FailRule($0) }
    if options.baseline == nil, rules.contains(where: \.needsBase) {
      throw LoopbenchError.usage("--fail with an increase needs --baseline NAME or FILE")
    }
    let questions = try questions()
    let plan = try RunPlan(options, registry: context.registry, answering: questions)
    guard !options.isDryRun else {
      try write(.output, plan.text)
      return .success
    }
    let base = try options.baseline.map(baseline(named:))
    let check =
      base == nil && rules.isEmpty
      ? nil : BaselineCheck(invocation: self, base: base, rules: rules)
    try check?.validate(plan)
    try checkMachine()
    let file = try options.output.map { path throws(LoopbenchError) in try ResultFile(path) }
    let load = try plan.start()
    let machineState = context.watch()
    let measurements = try measure(plan)
    // Order: the system adds the load's CPU time to this process when the load has ended.
    let loadWarning = load.stop()
    let machine = machineState()
    guard !measurements.isEmpty else {
      let text = "the run ended before its first round, so nothing was measured"
      let hint = isInterrupted ? "" : "; use a longer --duration"
      try write(.error, "\(context.programName): \(text)\(hint)\n")
      return exitCode(of: measurements) ?? .failed
    }
    let warnings = options.faults(of: machine).map { Warning($0) } + [loadWarning].compactMap { $0 }
    let report = report(on: measurements, plan, warnings)
    // Order: save the file before printing, because printing fails if the reader
    // of standard output has exited.
    let saved = Result { () throws(LoopbenchError) in try file?.finish(with: report.json()) }
    let tails = measurements.tails(of: questions)
    try write(
      .output,
      questions.isEmpty
        ? report.rendered(as: options.format, style: style)
        : Screen(report, questions, machine, tails: tails, style: style).text()
    )
    try saved.get()
    if let file, !options.isQuiet { try write(.error, "wrote \(file.path)\n") }
    let verdict = try check?.compare(report) ?? .success
    return exitCode(of: measurements) ?? verdict
  }

  /// With `--strict`, throws if the machine is not fit for measuring.
  private func checkMachine() throws(LoopbenchError) {
    guard options.isStrict else { return }
    let bad = context.findings().filter { $0.status == .bad }
    guard !bad.isEmpty else { return }
    let lines = bad.map { "\n  \($0.id): \($0.text)" + ($0.fix.map { "; \($0)" } ?? "") }
    throw .unfit("this machine is not fit for measuring:" + lines.joined())
  }

  private func measure(_ plan: RunPlan) throws(PeerError) -> Measurements {
    let line = ProgressLine(output, write: write)
    defer { line.clear() }
    context.interruption.watch(timeoutNs: options.timeout ?? 0)
    return try plan.runner().run(
      progress: { line.show($0) },
      isInterrupted: { isInterrupted }
    )
  }

  private func report(
    on measurements: Measurements,
    _ plan: RunPlan,
    _ warnings: [Warning]
  ) -> Report {
    Report(
      measurements,
      argv: context.arguments,
      machine: .detect(),
      placement: plan.placement,
      load: options.load,
      labels: options.labels,
      warnings: warnings + plan.selection.warnings + measurements.failures.map { .peerFailed($0) }
        + (context.interruption.reason.map { [.endedEarly($0)] } ?? [])
    )
  }

  /// The exit code of a run that failed or ended early. Nil if the run completed
  /// without failures.
  private func exitCode(of measurements: Measurements) -> ExitCode? {
    switch context.interruption.reason {
    case .interrupted: .interrupted
    case .timedOut: .timedOut
    case nil: measurements.failures.isEmpty ? nil : .failed
    }
  }
}

extension Options {
  /// The faults of the machine. With a command as the load, the CPU time of other
  /// processes is unknown, because processes of the command may still run.
  fileprivate func faults(of machine: MachineState) -> [Finding] {
    machine.faults.filter { finding in
      if case .command = load { return finding.id != "load" }
      return true
    }
  }
}

extension Invocation {
  /// `loopbench check`: measures, and compares with a baseline or with limits.
  private func check() throws -> ExitCode {
    guard options.baseline != nil || !options.rules.isEmpty else {
      throw LoopbenchError.usage(
        "check needs --baseline NAME or FILE, or a --fail rule with a time"
      )
    }
    return try measure()
  }

  /// `loopbench replay`: plays a recorded load against the peers.
  ///
  /// Playing a load takes seconds, so the default is the smallest number of rounds
  /// that allows a verdict.
  private func replay() throws -> ExitCode {
    let path = options.operands[0]
    var replaying = self
    do {
      replaying.context.registry = .replay(try Replay.read(path))
    } catch {
      throw LoopbenchError.failed("\(path): \(error)")
    }
    replaying.options.loadPath = path
    replaying.options.operands = ["replay"]
    if options.duration == nil {
      replaying.options.rounds = options.rounds ?? Bootstrap.leastRounds
    }
    if options.warmUp == .auto { replaying.options.warmUp = .rounds(1) }
    return try replaying.measure()
  }
}
