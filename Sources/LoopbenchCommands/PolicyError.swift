import LoopbenchKit

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
