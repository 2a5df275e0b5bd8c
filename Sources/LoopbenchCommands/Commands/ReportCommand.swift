import LoopbenchKit

/// `loopbench report`: shows results out of files.
struct ReportCommand {
  let options: Options
  let context: Context

  func run(_ write: @escaping Program.Write) throws -> ExitCode {
    let scenarios = context.registry.scenarios
    let files = try RunFiles(options, style: style, scenarios: scenarios)
    let reports = try options.operands.map { try ReportFile.read($0) }
    if !files.isEmpty, reports.count > 1 {
      throw LoopbenchError.extraArgument(options.operands[1], of: "report with a file to write")
    }
    let texts = reports.map { $0.rendered(as: options.format, style: style, scenarios: scenarios) }
    try options.checkNames(in: reports)
    let isForPeople = [.text, .markdown].contains(options.format)
    if let report = reports.first { try files.save(report) }
    try write(.output, texts.joined(separator: isForPeople ? "\n" : ""))
    return .success
  }

  private var style: ReportStyle {
    var style = options.style(context.look(options))
    style.scenarios = options.shownScenarios
    style.peers = options.shownPeers
    return style
  }
}

/// `loopbench plot`: draws results, one over the other.
struct PlotCommand {
  let options: Options
  let context: Context

  func run(_ write: @escaping Program.Write) throws -> ExitCode {
    guard options.output != nil || options.isTerminalPlot else {
      throw LoopbenchError.usage("plot needs -o FILE.svg, -o FILE.html or --term: where to draw")
    }
    let output = try options.output.map { (path: $0, file: try open($0)) }
    let reports = try options.operands.map { (name: name($0), report: try ReportFile.read($0)) }
    try options.checkNames(in: reports.map(\.report))
    let plot = Plot(
      reports: reports,
      kind: options.plotKind,
      options: plotOptions
    )
    if let output {
      let text = output.path.hasSuffix(".svg") ? plot.svg() : plot.html()
      try RunFiles.finish(output.file, output.path, text)
    }
    if options.isTerminalPlot {
      let isASCII = context.look(options).isASCII
      try write(.output, plot.terminal(width: Terminal.output.width, isASCII: isASCII))
    }
    return .success
  }

  /// The file's own name, unless another of the files has that, too.
  private func name(_ path: String) -> String {
    let last = RunFiles.name(path)
    return options.operands.count { RunFiles.name($0) == last } > 1 ? path : last
  }

  private func open(_ path: String) throws -> OutputFile {
    guard Values.picture(path) != nil else {
      throw LoopbenchError.badValue(of: "--output", path, expected: Values.aPicture)
    }
    return try RunFiles.open(path)
  }

  private var plotOptions: PlotOptions {
    var plot = PlotOptions()
    plot.series = options.shownScenarios
    plot.peers = options.shownPeers
    plot.scenarios = context.registry.scenarios
    plot.to = options.plotEnd ?? .max
    plot.isLinear = options.isLinear
    return plot
  }
}

/// `loopbench trace`: a time line of a short run.
struct TraceCommand {
  let options: Options
  let context: Context

  /// A trace is for looking at: a few samples of each say what many would.
  private static let samples = 50
  private static let timeNs: UInt64 = 2_000_000_000

  func run(_ write: @escaping Program.Write) throws -> ExitCode {
    guard let path = options.output else {
      throw LoopbenchError.usage("trace needs -o FILE: where to write")
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
    let trace = try plan.runner().trace(
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
