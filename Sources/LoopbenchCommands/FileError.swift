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
