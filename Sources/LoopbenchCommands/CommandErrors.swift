import LoopbenchKit

/// A file that could not be written.
struct FileError: Error, CustomStringConvertible {
  let path: String
  let cause: SystemError

  var description: String { "can not write \"\(path)\": \(cause)" }
}

/// A file to compare with that is not there, or is none.
struct NoBaselineError: Error, CustomStringConvertible {
  let description: String
}

/// Something that has a name, and is not in this program.
struct UnavailableError: Error, CustomStringConvertible {
  let description: String
}

/// A machine on which, by `--strict`, nothing is measured.
struct UnfitError: Error, CustomStringConvertible {
  let findings: [Finding]

  var description: String {
    let lines = findings.map { "\n  \($0.id): \($0.text)" + ($0.fix.map { "; \($0)" } ?? "") }
    return "this machine is not fit for measuring:" + lines.joined()
  }
}

/// A real-time policy that is not permitted.
struct PolicyError: Error, CustomStringConvertible {
  let priority: Int
  let cause: SystemError
  let program: String

  var description: String {
    "--policy fifo:\(priority) is refused here: \(cause); "
      + "allow it with: sudo setcap cap_sys_nice=ep \(program)"
  }
}

/// A background load that could not be started.
struct LoadError: Error, CustomStringConvertible {
  let load: BackgroundLoad
  let cause: SystemError

  var description: String { "can not start the load \(load.text): \(cause)" }
}

/// Why a file is not a recorded load.
struct ReplayFileError: Error, CustomStringConvertible {
  let path: String
  let cause: ReplayError

  var description: String { "\(path): \(cause)" }
}
