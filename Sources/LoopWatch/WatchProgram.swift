internal import CLoopWatch
import Glibc
import LoopTransactions
import LoopbenchKit

/// The command `loopbench watch`.
package final class WatchProgram {
  private let options: WatchOptions
  private let loop: EventLoop
  private let records: WaitRecords
  private let watcher: Watcher
  private let process: Int32
  private var status: Int32 = 0
  private var interrupts = 0

  /// Runs the command with the arguments after its name, and ends the process.
  package static func main(_ arguments: [String]) -> Never {
    HostProcess.keepDescriptors()
    do {
      let options = try WatchOptions(arguments)
      guard !options.isHelp else {
        try Terminal.output.write(WatchHelp.text)
        HostProcess.end(with: .success)
      }
      HostProcess.end(withCode: try WatchProgram(options).run())
    } catch {
      let code = (error as? LoopbenchError)?.code ?? .failed
      let hint = code == .usage ? "Try loopbench watch --help.\n" : ""
      // try?: if standard error is closed, the exit code is the only report.
      try? Terminal.error.write("loopbench watch: \(error)\n\(hint)")
      HostProcess.end(with: code)
    }
  }

  private init(_ options: WatchOptions) throws {
    guard !options.command.isEmpty else {
      throw LoopbenchError.usage("watch needs a program: loopbench watch -- COMMAND")
    }
    self.options = options
    loop = try EventLoop()
    records = try WaitRecords()
    process = try WatchedCommand.start(
      options.command,
      environment: HostProcess.environment,
      library: try Self.library(),
      records: records
    )
    watcher = Watcher(
      process: process,
      records: records,
      threshold: options.threshold,
      isFollowing: options.isFollowing
    )
  }

  /// The library that records waits, beside this program.
  private static func library() throws(LoopbenchError) -> String {
    let folder = HostProcess.programPath.split(separator: "/", omittingEmptySubsequences: false)
      .dropLast().joined(separator: "/")
    for path in [folder + "/libloopbench-waits.so", folder + "/../lib/libloopbench-waits.so"] {
      if ProcessFile(path) != nil { return path }
    }
    throw .unavailable(
      "libloopbench-waits.so is not beside \(HostProcess.programPath); build or install it again"
    )
  }
}

extension WatchProgram {
  private func run() throws -> Int32 {
    if options.isEach { watcher.onHold = { show($0.line) } }
    try loop.onExit(of: process) { self.end($0) }
    try loop.onSignal(SIGINT) { self.interrupt() }
    for signal in [SIGTERM, SIGHUP] {
      try loop.onSignal(signal) { lw_signal(self.process, signal) }
    }
    let period = Duration.nanoseconds(watcher.period)
    try loop.addPreciseTimer(at: loop.now.advanced(by: period), every: period) { _ in self.watcher.look() }
    if let length = options.length {
      loop.addTimer(after: .nanoseconds(length)) { _ in lw_signal(self.process, SIGTERM) }
    }
    loop.run()
    try loop.close()
    show(watcher.report)
    try writeFiles()
    let exceeded = options.rules.filter { $0.isExceeded(by: watcher.summary) }
    for rule in exceeded { show("loopbench watch: the limit \(rule.text) was exceeded\n") }
    return exceeded.isEmpty ? status : ExitCode.regressed.rawValue
  }

  private func end(_ status: ChildWatcher.Status) {
    watcher.look()
    switch status {
    case .exited(let code): self.status = code
    case .signalled(let signal): self.status = 128 + signal
    case .unknown: self.status = ExitCode.failed.rawValue
    }
    loop.stop()
  }

  /// The terminal sends Ctrl-C to the program, too, which decides when to end. A
  /// second one ends the watch.
  private func interrupt() {
    interrupts += 1
    guard interrupts > 1 else { return }
    watcher.look()
    status = ExitCode.interrupted.rawValue
    loop.stop()
  }

  private func writeFiles() throws {
    let files: [(String?, () -> String)] = [
      (options.jsonPath, { self.watcher.json() }), (options.foldedPath, { self.watcher.folded() }),
    ]
    for (path, text) in files {
      guard let path else { continue }
      do {
        try OutputFile(path: path).finish(with: text())
      } catch {
        throw LoopbenchError.unwritable(path, error)
      }
    }
  }
}

private func show(_ text: String) {
  // try?: the program's result does not depend on a terminal that was closed.
  try? Terminal.error.write(text)
}
