private import CLoopbench
private import FoundationEssentials

#if canImport(Darwin)
  private import Darwin
#elseif canImport(Glibc)
  private import Glibc
#elseif canImport(Musl)
  private import Musl
#endif

/// The process this runs in, and what it could become.
package enum HostProcess {
  /// The environment's variables.
  package static var environment: [String: String] {
    ProcessInfo.processInfo.environment
  }

  /// The path of the program that runs; empty where unknown.
  package static var programPath: String {
    String(capacity: 4096) { cl_program_path($0, $1) }
  }

  /// Keeps a file that is opened later from becoming standard output where that
  /// is closed.
  package static func keepDescriptors() { cl_keep_descriptors() }

  /// Lets a signal end the process as ever, but leave no load and no half-written
  /// file behind.
  package static func guardSignals() { cl_interrupt_guard() }

  /// Becomes the program at `path`, called with `arguments`, its name first.
  ///
  /// - Returns: Why it could not.
  package static func become(_ path: String, arguments: [String]) -> SystemError {
    let words = arguments.map { strdup($0) }
    defer { for word in words { free(word) } }
    execv(path, words + [nil])
    return SystemError(code: errno)
  }
}

/// A program that runs beside this one and talks to nobody: in a process group of
/// its own, without a terminal. It ends with this process at the latest.
package enum FreshProcess {
  /// Runs the program `words`, its path first, to its end.
  ///
  /// - Parameter isInterrupted: Asked ten times a second; after `true` the program
  ///   is ended.
  /// - Returns: Its exit code; `nil` when it was interrupted.
  /// - Throws: What the system says when it starts no process.
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

  /// As one word of a shell, whatever is in it.
  package static func quoted(_ word: String) -> String {
    "'" + word.replacing("'", with: "'\\''") + "'"
  }
}

/// What may end a run before its last round: a signal, or a time that is up.
///
/// The turn that is being measured is finished, and what was measured counts.
package struct Interruption: Sendable {
  private let begin: @Sendable (_ timeoutNs: UInt64) -> Void
  private let noted: @Sendable () -> Reason?

  /// Why a run ended early.
  package enum Reason: String, Sendable {
    /// Somebody asked it to end.
    case interrupted
    /// It took longer than it may.
    case timedOut
  }

  /// Makes one from two functions; tests bring their own.
  package init(
    begin: @escaping @Sendable (_ timeoutNs: UInt64) -> Void = { _ in },
    noted: @escaping @Sendable () -> Reason?
  ) {
    self.begin = begin
    self.noted = noted
  }

  /// Begins to watch; `timeoutNs` of 0 is none.
  package func watch(timeoutNs: UInt64) { begin(timeoutNs) }

  /// Why the run should end, once it should.
  package var reason: Reason? { noted() }

  /// Nothing ends it.
  package static let none = Interruption { nil }

  /// SIGINT, SIGTERM, SIGHUP and a timer. A second signal ends the process with 130; a
  /// turn that is not over 10 s after the timeout ends it with 124.
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
