// Writing a trace on a signal or a trap. X3.
extension LoopTrace {
  /// The number of events that a trap writes, so that the process ends soon.
  static let trapLimit = 10_000

  /// Replaces the file at `path` each time the process receives `signal`.
  ///
  /// Call from any thread. A thread of the library writes the file, so the
  /// signal delays no other thread. A signal also writes the file after `stop()`,
  /// until the process ends. A later call for the same signal replaces the
  /// path. A signal that ends a process by default, such as `SIGTERM`, no longer
  /// ends it. In a forked child the signal has its default disposition.
  ///
  /// ```swift
  /// let trace = try LoopTrace()
  /// try trace.write(to: "trace-%p.json", onSignal: SIGUSR2)
  /// ```
  ///
  /// A program that is started with `LOOPTRANSACTIONS_TRACE` does the same if
  /// `LOOPTRANSACTIONS_TRACE_ON` is the name of the signal, such as `SIGUSR2`.
  ///
  /// - Parameters:
  ///   - path: The file. `%p` stands for the number of the process.
  ///   - signal: A signal without a handler, such as `SIGUSR2`.
  /// - Throws: `UVError` `EBUSY` if the process handles or ignores the signal,
  ///   `EINVAL` if it cannot be handled or reports a fault, as `SIGSEGV` does, or
  ///   if `path` has a zero byte, or another error if the system refuses a pipe or
  ///   a thread.
  public func write(to path: String, onSignal signal: Int32) throws(UVError) {
    try path.checkWhole("LoopTrace.write(to:onSignal:)")
    let core = core
    try SignalRequests.shared.value.add(signal, "LoopTrace.write(to:onSignal:)") {
      core.writeLast(.max, to: path, "LoopTrace.write(to:onSignal:)")
    }
  }

  /// Replaces the file at `path` with the last 10,000 events if the process
  /// traps.
  ///
  /// Call from any thread. A trap is a precondition that does not hold, an index
  /// out of range, an access of wrong memory, or a call of `abort()`. The thread
  /// that traps waits until a thread of the library has written the file, for at
  /// most five seconds: it may hold a lock that the writing needs. Then the
  /// earlier handler of the signal runs. So Swift's backtrace is printed, and the
  /// process ends by the same signal.
  ///
  /// A stack overflow writes no file, unless the thread has an alternate signal
  /// stack: the handler has no stack to run on, and the system ends the process by
  /// `SIGSEGV` at once. Swift's runtime gives one to the main thread while its
  /// backtraces are on, as with `SWIFT_BACKTRACE=enable=yes`. The threads of loops
  /// and workers have none. Give one to a thread with `sigaltstack`.
  ///
  /// A program that is started with `LOOPTRANSACTIONS_TRACE` does the same if
  /// `LOOPTRANSACTIONS_TRACE_ON` contains `trap`, as in `trap,SIGUSR2`.
  ///
  /// - Parameter path: The file. `%p` stands for the number of the process.
  /// - Throws: `UVError` if the system refuses a pipe, a thread or a handler, or
  ///   `EINVAL` if `path` has a zero byte.
  public func writeOnTrap(to path: String) throws(UVError) {
    try path.checkWhole("LoopTrace.writeOnTrap")
    let core = core
    try SignalRequests.shared.value.addTraps("LoopTrace.writeOnTrap") {
      core.writeLast(Self.trapLimit, to: path, "LoopTrace.writeOnTrap")
    }
  }

  /// Writes the file on the occasions in `words`, the value of
  /// `LOOPTRANSACTIONS_TRACE_ON`.
  func write(to path: String, on words: String) {
    for word in words.split(separator: ",") {
      do throws(UVError) {
        if word == "trap" {
          try writeOnTrap(to: path)
        } else if let signal = System.signal(named: String(word)) {
          try write(to: path, onSignal: signal)
        } else {
          System.logToStandardError(
            """
            LOOPTRANSACTIONS_TRACE_ON: '\(String(word).escapingControls())' is not supported; \
            use trap, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGTERM, SIGALRM, SIGPROF or \
            SIGWINCH
            """
          )
        }
      } catch {
        System.logToStandardError("LOOPTRANSACTIONS_TRACE_ON: \(error)")
      }
    }
  }
}

/// Writes the files of traces, one at a time: the thread that answers signals and one
/// that exits may have the same path.
enum TraceFiles {
  // Whether the process exits.
  private static let isClosed = Locked(false)

  /// Replaces the file at `path`, unless the last one was written. Returns 0 or an
  /// error of libuv.
  static func write(_ text: String, to path: String, isLast: Bool = false) -> Int32 {
    isClosed.withLock { isClosed in
      if isClosed { return 0 }
      isClosed = isLast
      return System.write(text, toFile: path)
    }
  }
}

extension TraceCore {
  /// Replaces the file at `path` with the last `limit` events, and reports a
  /// failure on standard error.
  fileprivate func writeLast(_ limit: Int, to path: String, _ operation: String) {
    if isForked { return }
    let path = LoopTrace.path(path, process: System.processNumber)
    let result = TraceFiles.write(json(last: limit), to: path)
    if result == 0 { return }
    let error = UVError(code: result, operation: "\(operation): cannot write '\(path)'")
    System.logToStandardError("\(error)")
  }

  /// The last `limit` events in the format of `LoopTrace.json`. Loops with a
  /// virtual clock are not limited.
  func json(last limit: Int = .max) -> String {
    let rate = CycleClock().rate
    let (rings, isIncomplete) = contents
    let start = rate.nanoseconds(at: start)
    let tracks = rings.map { TraceTrack($0, rate, from: start) }
    let times = tracks.lazy.filter { !$0.isVirtual }.flatMap { $0.events.map(\.time) }.sorted()
    let first = times.count > limit ? times[times.count - limit] : 0
    return TraceJSON(
      tracks.map { $0.isVirtual ? $0 : $0.since(first) },
      isIncomplete: isIncomplete,
      process: System.processNumber
    ).description
  }
}
