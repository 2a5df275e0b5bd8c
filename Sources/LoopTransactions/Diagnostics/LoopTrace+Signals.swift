// Writing a trace on a signal. X3.
extension LoopTrace {
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
      core.write(to: path, "LoopTrace.write(to:onSignal:)")
    }
  }

  /// Writes the file on the signals in `words`, the value of
  /// `LOOPTRANSACTIONS_TRACE_ON`.
  func write(to path: String, on words: String) {
    for word in words.split(separator: ",") {
      do throws(UVError) {
        if let signal = System.signal(named: String(word)) {
          try write(to: path, onSignal: signal)
        } else {
          System.logToStandardError(
            """
            LOOPTRANSACTIONS_TRACE_ON: '\(String(word).escapingControls())' is not supported; \
            use SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGTERM, SIGALRM, SIGPROF or SIGWINCH
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
  /// Replaces the file at `path`, and reports a failure on standard error.
  fileprivate func write(to path: String, _ operation: String) {
    if isForked { return }
    let path = LoopTrace.path(path, process: System.processNumber)
    let result = TraceFiles.write(json, to: path)
    if result == 0 { return }
    let error = UVError(code: result, operation: "\(operation): cannot write '\(path)'")
    System.logToStandardError("\(error)")
  }

  /// The events in the format of `LoopTrace.json`.
  var json: String {
    let rate = CycleClock().rate
    let (rings, isIncomplete) = contents
    let start = rate.nanoseconds(at: start)
    return TraceJSON(
      rings.map { TraceTrack($0, rate, from: start) },
      isIncomplete: isIncomplete,
      process: System.processNumber
    ).description
  }
}
