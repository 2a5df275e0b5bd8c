private import FoundationEssentials
import LoopbenchKit

extension Invocation {
  /// `loopbench report`: shows results from files.
  func report() throws -> ExitCode {
    var style = style
    style.scenarios = options.shownScenarios
    style.peers = options.shownPeers
    let files = try RunFiles(options, style: style)
    let reports = try options.operands.map { try ReportFile.read($0) }
    if !files.isEmpty, reports.count > 1 {
      throw LoopbenchError.usage(
        "report accepts only one FILE with -o, --export or --plot, got also"
          + " \"\(options.operands[1])\""
      )
    }
    let texts = reports.map { $0.rendered(as: options.format, style: style) }
    try options.checkNames(in: reports)
    let isForPeople = [.text, .markdown].contains(options.format)
    if let report = reports.first { try files.save(report) }
    try write(.output, texts.joined(separator: isForPeople ? "\n" : ""))
    return .success
  }

  /// `loopbench plot`: draws results on top of each other.
  func plot() throws -> ExitCode {
    guard options.output != nil || options.isTerminalPlot else {
      throw LoopbenchError.usage("plot needs -o FILE.svg, -o FILE.html or --term")
    }
    let picture = try options.output.map { (path: $0, file: try openPicture($0)) }
    let reports = try options.operands.map { (name: name($0), report: try ReportFile.read($0)) }
    try options.checkNames(in: reports.map(\.report))
    let plot = Plot(reports: reports, kind: options.plotKind, options: plotOptions)
    if let picture {
      try RunFiles.finish(picture.file, picture.path, plot.picture(for: picture.path))
    }
    if options.isTerminalPlot {
      let drawing = plot.terminal(width: output.width ?? 80, isASCII: output.isASCII)
      try write(.output, drawing)
    }
    return .success
  }

  /// The last component of `path`, or `path` if several files have the same last
  /// component.
  private func name(_ path: String) -> String {
    let last = RunFiles.name(path)
    return options.operands.count { RunFiles.name($0) == last } > 1 ? path : last
  }

  private func openPicture(_ path: String) throws -> OutputFile {
    guard OptionValues.picture(path) != nil else {
      throw LoopbenchError.badValue(of: "--output", path, expected: OptionValues.aPicture)
    }
    return try RunFiles.open(path)
  }

  private var plotOptions: PlotOptions {
    var plot = PlotOptions()
    plot.series = options.shownScenarios
    plot.peers = options.shownPeers
    return plot
  }
}

extension Plot {
  /// The picture as SVG or HTML. The suffix of `path` determines the format.
  func picture(for path: String) -> String { path.hasSuffix(".svg") ? svg() : html() }
}

extension Invocation {
  /// `loopbench baseline`: saves results by name.
  func baseline() throws -> ExitCode {
    let store = BaselineStore(folder: context.baselines)
    let words = options.operands
    switch words[0] {
    case "save":
      try store.save(try ReportFile.read(words[2]), as: words[1])
      try write(.error, "saved \(words[2]) as baseline \(words[1])\n")
    case "show":
      let report = try saved(words[1])
      try write(.output, report.rendered(as: .text, style: style))
    case "rm":
      _ = try saved(words[1])
      try store.remove(words[1])
    default: try write(.output, try store.list().map { $0 + "\n" }.joined())
    }
    return .success
  }

  /// Returns the report of a baseline. `name` is the path of a file or the name of
  /// a saved report.
  ///
  /// Reads only a regular file if the name has no slash, because reading a FIFO may block.
  func baseline(named name: String) throws(LoopbenchError) -> Report {
    let isPath = name.contains("/") || name == "-"
    guard isPath || FileManager.default.fileExists(atPath: name) else { return try saved(name) }
    do {
      return try ReportFile.read(name, onlyRegular: !isPath)
    } catch {
      throw .notComparable("\(error)")
    }
  }

  private func saved(_ name: String) throws(LoopbenchError) -> Report {
    do {
      return try BaselineStore(folder: context.baselines).load(name)
    } catch {
      throw .notComparable("\(error)")
    }
  }
}
