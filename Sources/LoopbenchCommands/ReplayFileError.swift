import LoopbenchKit

/// Why a file is not a recorded load.
struct ReplayFileError: Error, CustomStringConvertible {
  let path: String
  let cause: ReplayError

  var description: String { "\(path): \(cause)" }
}
