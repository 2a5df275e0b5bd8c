internal import CLoopWatch
import Glibc
import LoopTransactions
import LoopbenchKit

/// The command `loopbench watch`.
package final class WatchProgram {
  private let options: WatchOptions
  private let loop: EventLoop
  private let watcher: Watcher
  private let process: Int32
  /// The watched program and its arguments.
  private let name: String
  private let files: WatchFiles
  private var recorder: FlightRecorder?
  private var screen: LiveScreen?
  private var status: Int32 = 0
  /// True if a signal or the time has asked the program or the watch to end.
  private var isEnding = false
  private var records: WaitRecords?
  /// The processes that run when the program that was started has ended; nil before.
  private var remaining: [Int32]?

  /// Runs the command with the arguments after its name, and ends the process.
  package static func main(_ arguments: [String]) -> Never {
    HostProcess.keepDescriptors()
    do {
      let options = try WatchOptions(arguments)
      if options.isHelp || options.isSchema {
        try Terminal.output.write(options.isHelp ? WatchHelp.text : WatchDocument.schema)
        HostProcess.end(with: .success)
      }
      guard !options.isListing else {
        try list(options)
        HostProcess.end(with: .success)
      }
      HostProcess.end(withCode: try watch(options))
    } catch {
      let code = (error as? LoopbenchError)?.code ?? .failed
      let hint = code == .usage ? "Try loopbench watch --help.\n" : ""
      // try?: if standard error is closed, the exit code is the only report.
      try? Terminal.error.write("loopbench watch: \(error)\n\(hint)")
      HostProcess.end(with: code)
    }
  }

  private static func list(_ options: WatchOptions) throws {
    guard options.command.isEmpty, options.process == nil else {
      throw LoopbenchError.usage("--list lists programs that run, and takes no program")
    }
    let lines = try LoopList.lines(
      width: Terminal.output.knownWidth ?? .max,
      program: HostProcess.environment["LOOPBENCH_NAME"] ?? "loopbench"
    )
    try Terminal.output.write(lines.map { $0 + "\n" }.joined())
  }

  private static func watch(_ options: WatchOptions) throws -> Int32 {
    let loop = try EventLoop()
    // try?: the loop does not run, and the process ends after this.
    defer { try? loop.close() }
    // Otherwise a signal after the start of the program would end the watch only.
    lw_delay_signals()
    return try WatchProgram(options, on: loop).run()
  }

  private init(_ options: WatchOptions, on loop: EventLoop) throws {
    guard options.command.isEmpty != (options.process == nil) else {
      throw LoopbenchError.usage(
        "watch needs a program or a process: loopbench watch -- COMMAND, or watch --pid PID;"
          + " watch --list lists the processes with a loop"
      )
    }
    let writesLoad = options.outputs.contains { $0.output == .load }
    guard !writesLoad || options.process == nil else {
      throw LoopbenchError.usage(
        "--load needs a program that the watch starts, because samples of a process miss short"
          + " ticks; use loopbench watch --load FILE -- COMMAND"
      )
    }
    (self.options, self.loop) = (options, loop)
    recorder = try options.recorder()
    files = try WatchFiles(options.outputs)
    let log: any WaitLog
    if let process = options.process {
      try Self.check(process)
      (self.process, log) = (process, WaitSampler(process: process))
    } else {
      let records = try WaitRecords()
      process = try WatchedCommand.start(
        options.command,
        environment: HostProcess.environment,
        library: try Self.library(),
        records: records
      )
      (log, self.records) = (records, records)
    }
    // A program that is starting still has this program's arguments.
    name = options.command.isEmpty ? Self.name(of: process) : options.command.joined(separator: " ")
    watcher = Watcher(
      on: loop,
      process: process,
      log: log,
      threshold: options.threshold,
      isFollowing: options.isFollowing
    )
    watcher.keepsTicks = writesLoad
  }

  private static func name(of process: Int32) -> String {
    let words = ProcessFile.text("/proc/\(process)/cmdline")?.split(separator: "\0") ?? []
    return words.joined(separator: " ")
  }

  /// Throws if the process does not exist or may not be watched.
  private static func check(_ process: Int32) throws(LoopbenchError) {
    let (file, error) = ("/proc/\(process)/syscall", lw_open("/proc/\(process)/syscall"))
    if error >= 0 { lw_close(error) }
    if error == -ENOENT { throw .failed("there is no process \(process)") }
    guard ProcessFile.text(file) != nil else {
      throw .unavailable(
        String(capacity: 512) { lw_refusal_message(process, process, EPERM, $0, $1) }
      )
    }
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
    watcher.onHold = { late in
      if self.options.isEach { show(late.line) }
      self.recorder?.add(late.hold)
    }
    let isChild = options.process == nil
    if isChild { try loop.onExit(of: process) { self.end($0) } }
    try handleSignals()
    if let length = options.length {
      loop.addTimer(after: .nanoseconds(length)) { _ in self.finish(with: SIGTERM) }
    }
    let period = Duration.nanoseconds(watcher.period)
    try loop.addPreciseTimer(at: loop.now.advanced(by: period), every: period) { _ in
      self.watcher.look()
      self.record(quietly: self.screen != nil)
    }
    if !isChild {
      loop.addTimer(after: .milliseconds(200), every: .milliseconds(200)) { _ in
        if ProcessFile.hasEnded(self.process) { self.loop.stop() }
      }
    }
    screen = try startScreen()
    loop.run()
    screen?.stop()
    watcher.finish()
    show(watcher.report)
    // Thrown after the limits were shown.
    let written = Result { try writeFiles() }
    let exceeded = options.rules.filter { $0.isExceeded(by: watcher.summary) }
    for rule in exceeded {
      let value = TimeText.duration(rule.value(in: watcher.summary))
      show("loopbench watch: the limit \(rule.text) was exceeded: \(value)\n")
    }
    try written.get()
    return exceeded.isEmpty ? status : ExitCode.regressed.rawValue
  }

  /// Signals that nohup or a shell ignores stay ignored.
  private func handleSignals() throws {
    if !lw_is_ignored(SIGINT) { try loop.onSignal(SIGINT) { self.interrupt() } }
    // The terminal sends Ctrl-\ to the program, too. Java prints its threads then.
    if options.process == nil, !lw_is_ignored(SIGQUIT) { try loop.onSignal(SIGQUIT) {} }
    for signal in [SIGTERM, SIGHUP] where signal == SIGTERM || !lw_is_ignored(signal) {
      try loop.onSignal(signal) { self.finish(with: signal) }
    }
    lw_release_signals()
  }

  /// Starts the live view, unless the program uses the terminal.
  private func startScreen() throws -> LiveScreen? {
    guard options.process != nil, !options.isEach, LiveScreen.isAvailable else { return nil }
    let screen = LiveScreen(watcher, title: "\(name), process \(process)") { [loop] in loop.stop() }
    try screen.start(on: loop)
    return screen
  }

  private func end(_ status: ChildWatcher.Status) {
    watcher.look()
    switch status {
    case .exited(let code): self.status = code
    case .signalled(let signal): self.status = 128 + signal
    case .unknown: self.status = ExitCode.failed.rawValue
    }
    guard options.isFollowing, !isEnding else { return loop.stop() }
    remaining = []
    followRemaining()
  }

  /// Goes on until the children that the program left have ended.
  private func followRemaining() {
    remaining?.removeAll(where: ProcessFile.hasEnded)
    // They may have started others.
    if remaining?.isEmpty ?? true {
      remaining = records?.users().filter { !ProcessFile.hasEnded($0) } ?? []
    }
    guard remaining?.isEmpty == false else { return loop.stop() }
    loop.addTimer(after: .milliseconds(200)) { _ in self.followRemaining() }
  }

  /// Ends a program that was started here by `signal`, and the watch of others.
  private func finish(with signal: Int32) {
    isEnding = true
    guard options.process == nil, remaining == nil else { return loop.stop() }
    lw_signal(process, signal)
  }

  /// The terminal sends Ctrl-C to a program that was started here, too, which decides
  /// when to end. A second one ends the watch.
  private func interrupt() {
    let isSecond = isEnding
    isEnding = true
    guard options.process != nil || isSecond || remaining != nil else { return }
    watcher.look()
    if options.process == nil, remaining == nil { status = ExitCode.interrupted.rawValue }
    loop.stop()
  }

  /// Writes the files if the flight recorder has a reason.
  private func record(quietly: Bool) {
    guard !files.isRecording, let recording = recorder?.begin(at: lw_now()) else { return }
    let result = watcher.result(program: name, last: recording.span)
    files.record(result, on: loop) { written in
      guard !quietly else { return }
      switch written {
      case .success(let paths):
        let holds = String.counted(result.holds.count, "late hold")
        let list = paths.joined(separator: ", ")
        show("recorded \(holds), because \(recording.rule.text) was exceeded: \(list)\n")
      // The end of the watch reports the first error again.
      case .failure(let error): show("loopbench watch: \(error)\n")
      }
    }
  }

  private func writeFiles() throws(LoopbenchError) {
    guard recorder != nil else { return try files.write(watcher.result(program: name)) }
    try files.finish()
    if let recording = recorder?.begin(at: lw_now(), isLast: true) {
      try files.write(watcher.result(program: name, last: recording.span))
    }
    switch recorder?.count ?? 0 {
    case 0:
      files.discard()
      show("note: no late hold exceeded a limit, so no file was written\n")
    case let count: show("note: recorded \(String.counted(count, "time"))\n")
    }
  }
}

private func show(_ text: String) {
  // try?: the program's result does not depend on a terminal that was closed.
  try? Terminal.error.write(text)
}
