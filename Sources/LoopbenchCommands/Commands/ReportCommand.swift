private import FoundationEssentials
import LoopbenchKit

extension Invocation {
  /// `loopbench report`: shows results from files.
  func report() throws -> ExitCode {
    var style = style
    style.scenarios = options.shownScenarios
    style.peers = options.shownPeers
    let reports = try options.operands.map { try ReportFile.read($0) }
    let texts = reports.map { $0.rendered(as: options.format, style: style) }
    try options.checkNames(in: reports)
    let isForPeople = [.text, .markdown].contains(options.format)
    try write(.output, texts.joined(separator: isForPeople ? "\n" : ""))
    return .success
  }

  /// `loopbench plot`: draws results on top of each other.
  func plot() throws -> ExitCode {
    guard let path = options.output else { throw LoopbenchError.usage("plot needs -o FILE.svg") }
    guard path.hasSuffix(".svg") else {
      let expected = "the name of a file that ends in .svg"
      throw LoopbenchError.badValue(of: "--output", path, expected: expected)
    }
    let picture = try ResultFile(path)
    let reports = try options.operands.map { (name: name($0), report: try ReportFile.read($0)) }
    try options.checkNames(in: reports.map(\.report))
    let plot = Plot(reports: reports, kind: options.plotKind, options: plotOptions)
    try picture.finish(with: plot.svg())
    return .success
  }

  /// The last component of `path`, or `path` if several files have the same last
  /// component.
  private func name(_ path: String) -> String {
    let last = ResultFile.name(of: path)
    return options.operands.count { ResultFile.name(of: $0) == last } > 1 ? path : last
  }

  private var plotOptions: PlotOptions {
    var plot = PlotOptions()
    plot.series = options.shownScenarios
    plot.peers = options.shownPeers
    return plot
  }
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
