import LoopbenchKit

/// A file that could not be written.
struct FileError: Error, CustomStringConvertible {
  let path: String
  let cause: SystemError

  var description: String { "can not write \"\(path)\": \(cause)" }
}
