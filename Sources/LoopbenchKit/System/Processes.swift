private import CLoopbench
private import FoundationEssentials

/// The current process.
package enum HostProcess {
  /// The environment variables.
  package static var environment: [String: String] {
    ProcessInfo.processInfo.environment
  }

  /// The path of the running program; empty if unknown.
  package static var programPath: String {
    String(capacity: 4096) { cl_program_path($0, $1) }
  }

  /// Opens standard descriptors that are closed, so that a file that is opened
  /// later does not become standard input, output or error.
  package static func keepDescriptors() { cl_keep_descriptors() }

  /// Installs signal handlers that stop loads and remove temporary files before
  /// the signal ends the process.
  package static func guardSignals() { cl_interrupt_guard() }

  /// Replaces this process with the program at `path`. The first argument is the
  /// program's name.
  ///
  /// - Returns: The error. Does not return on success.
  package static func become(_ path: String, arguments: [String]) -> SystemError {
    let words = arguments.map { strdup($0) }
    defer { for word in words { free(word) } }
    execv(path, words + [nil])
    return .last
  }

  /// Ends the process.
  package static func end(with code: ExitCode) -> Never { end(withCode: code.rawValue) }

  /// Ends the process with a code that need not be one of loopbench's.
  package static func end(withCode code: Int32) -> Never { exit(code) }
}

/// A child process in its own process group, without a terminal. It is killed if
/// this process ends first.
package enum FreshProcess {
  /// Runs a program and waits until it ends.
  ///
  /// - Parameters:
  ///   - words: The path of the program and its arguments.
  ///   - isInterrupted: Called ten times per second. If it returns true, the
  ///     program is killed.
  /// - Returns: The exit code; `nil` if the program was killed.
  /// - Throws: The system's error if the process cannot be started.
  package static func run(
    _ words: [String],
    isInterrupted: () -> Bool
  ) throws(SystemError) -> Int? {
    let process = cl_load_start("exec " + words.map(quoted).joined(separator: " "))
    guard process > 0 else { throw SystemError(code: process) }
    while cl_load_wait(process, 100) == 0 {
      guard !isInterrupted() else {
        _ = cl_load_stop(process)
        return nil
      }
    }
    return Int(cl_load_stop(process))
  }

  /// Quotes the string as a single shell word.
  package static func quoted(_ word: String) -> String {
    "'" + word.replacing("'", with: "'\\''") + "'"
  }
}

/// A signal or a timeout that ends a run before its last round.
///
/// The run finishes its current slice first. The result contains all slices that
/// were measured.
package struct Interruption: Sendable {
  private let begin: @Sendable (_ timeoutNs: UInt64) -> Void
  private let noted: @Sendable () -> Reason?

  /// The reason a run ended early.
  package enum Reason: String, Sendable {
    /// A signal arrived.
    case interrupted
    /// The timeout expired.
    case timedOut
  }

  /// Makes an interruption from two functions. Tests provide their own.
  package init(
    begin: @escaping @Sendable (_ timeoutNs: UInt64) -> Void = { _ in },
    noted: @escaping @Sendable () -> Reason?
  ) {
    self.begin = begin
    self.noted = noted
  }

  /// Starts to watch for signals and for the end of the timeout. If `timeoutNs` is
  /// 0, there is no timeout.
  package func watch(timeoutNs: UInt64) { begin(timeoutNs) }

  /// The reason to end the run; `nil` while the run may continue.
  package var reason: Reason? { noted() }

  /// An interruption that never occurs.
  package static let none = Interruption { nil }

  /// Interrupts on SIGINT, SIGTERM, SIGHUP and after a timeout. A second signal
  /// ends the process with exit code 130. If a slice is still running 10 s after
  /// the timeout, the process ends with exit code 124.
  package static let signals = Interruption(
    begin: { cl_interrupt_watch($0) },
    noted: {
      switch Int(cl_interrupt_noted()) {
      case cl_interrupt_signal: .interrupted
      case cl_interrupt_timeout: .timedOut
      default: nil
      }
    }
  )
}
