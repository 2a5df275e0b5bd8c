private import FoundationEssentials
import LoopbenchKit

extension Invocation {
  /// `loopbench trace`: draws a trace, or records one.
  func trace() throws -> ExitCode {
    if let path = options.tracePath { return try draw(path) }
    return try record()
  }

  /// Records a timeline of a short run, with few samples per slice.
  private func record() throws -> ExitCode {
    guard let path = options.output else {
      throw LoopbenchError.usage(
        "trace needs -o FILE, or the path of a trace to draw, such as ./server.json"
      )
    }
    var traced = options
    traced.samples = options.samples ?? 50
    traced.rounds = 1
    traced.usesTwin = false
    let plan = try RunPlan(traced, registry: context.registry)
    let file = try ResultFile(path)
    let load = try plan.start()
    context.interruption.watch(timeoutNs: 0)
    let trace = try plan.runner().trace(
      forNs: options.traceNs ?? 2_000_000_000,
      isInterrupted: { isInterrupted }
    )
    if let warning = load.stop() { try write(.error, "\(context.programName): \(warning.text)\n") }
    try file.finish(with: trace.render())
    if !options.isQuiet {
      try write(.error, "wrote \(path), \(String.counted(trace.count, "event"))\n")
    }
    return isInterrupted ? .interrupted : .success
  }

  /// Draws the trace at `path` as a page, and prints a summary.
  private func draw(_ path: String) throws -> ExitCode {
    let page = try pagePath(for: path)
    let name = path == "-" ? "standard input" : ResultFile.name(of: path)
    let timeline = try Timeline.read(path)
    let file = try ResultFile(page)
    guard !isSame(path, page) else {
      throw LoopbenchError.usage("-o \(page) is the trace itself; name another file")
    }
    try file.finish(with: TimelinePage(timeline, title: name).html())
    let text = TimelineFindings(timeline).text(name: name)
    try write(.output, output.isASCII ? ASCII.text(text) : text)
    if !options.isQuiet { try write(.error, "wrote \(page)\n") }
    return .success
  }

  /// The file of `-o`. Without it, the page is beside the trace.
  private func pagePath(for path: String) throws(LoopbenchError) -> String {
    if let output = options.output { return output }
    guard path != "-" else { throw .usage("trace - needs -o FILE.html") }
    let suffix = ".json"
    let page = (path.hasSuffix(suffix) ? String(path.dropLast(suffix.count)) : path) + ".html"
    guard FileManager.default.fileExists(atPath: page) else { return page }
    // The user did not name this file, so it must not replace one of another program.
    let beginning = Data(TimelinePage.beginning.utf8)
    // try?: an unreadable file is not a page of loopbench.
    let old = try? InputFile.read(page, limit: .max, onlyRegular: true)
    guard old?.starts(with: beginning) == true else {
      throw .usage("\(page) exists, and loopbench trace did not write it; name a file with -o")
    }
    return page
  }

  /// Whether both paths lead to one existing file.
  private func isSame(_ first: String, _ second: String) -> Bool {
    let numbers = [first, second].map { path in
      // try?: an output that does not exist is another file.
      let attributes = try? FileManager.default.attributesOfItem(
        atPath: URL(fileURLWithPath: path).resolvingSymlinksInPath().path
      )
      return (attributes?[.systemFileNumber] as? UInt64, attributes?[.systemNumber] as? UInt64)
    }
    return numbers[0].0 != nil && numbers[0] == numbers[1]
  }
}
