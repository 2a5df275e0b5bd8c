import LoopbenchKit

/// `loopbench plot`: draws results, one over the other.
struct PlotCommand {
  let options: Options
  let context: Context

  func run(_ write: @escaping Program.Write) throws -> ExitCode {
    guard options.output != nil || options.isTerminalPlot else {
      throw UsageError.missingOption(
        "-o FILE.svg, -o FILE.html or --term",
        command: "plot",
        reason: "where to draw"
      )
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
    guard path.hasSuffix(".svg") || path.hasSuffix(".html") else {
      throw UsageError.badValue(
        option: "--output",
        value: path,
        expected: "the name of a file that ends in .svg or .html"
      )
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
