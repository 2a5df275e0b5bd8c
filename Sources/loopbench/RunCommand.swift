import LoopbenchKit

/// `loopbench run`.
struct RunCommand {
  let options: Options
  let arguments: [String]
  let registry: Registry

  func run(_ write: (Terminal, String) throws(SystemError) -> Void) throws {
    let placement = Placement.detect()
    let selection = try Selection(
      from: registry,
      scenarios: options.scenarios,
      peers: options.peers,
      placement: placement
    )
    let output = try openOutput()
    let report = Report(
      try measure(selection.contenders),
      argv: arguments,
      machine: .detect(),
      placement: placement,
      warnings: selection.warnings
    )
    try write(.output, render(report))
    try save(report, to: output)
  }

  private func measure(_ contenders: [Contender]) throws(PeerFailure) -> Measurements {
    let runner = Runner(
      contenders: contenders,
      seed: options.seed ?? UInt64(UInt32.random(in: .min ... .max)),
      rounds: options.rounds.map { .fixed($0) } ?? .standard
    )
    let line = ProgressLine()
    defer { line.clear() }
    return try runner.run { line.show($0) }
  }

  private func render(_ report: Report) -> String {
    switch options.format {
    case .text: TextReport(report, scenarios: registry.scenarios).render()
    case .json: JSONReport.render(report)
    }
  }
}

extension RunCommand {
  /// Before measuring: a path that can not be written is told at once.
  private func openOutput() throws(FileError) -> OutputFile? {
    guard let path = options.output else { return nil }
    do {
      return try OutputFile(path: path)
    } catch {
      throw FileError(path: path, cause: error)
    }
  }

  private func save(_ report: Report, to output: OutputFile?) throws(FileError) {
    guard let output, let path = options.output else { return }
    do {
      try output.finish(with: JSONReport.render(report))
    } catch {
      throw FileError(path: path, cause: error)
    }
  }
}
