import CUV

/// An error of the system, as reported by libuv.
///
/// Carries libuv's name and description of the error. The description includes
/// the usual remedy, if there is one.
///
/// A value: create and read it on any thread.
public struct UVError: Error, Hashable, Sendable, CustomStringConvertible {
  /// libuv's error code: a negated `errno`, or a code of libuv's own.
  public let code: Int32

  /// The code for a resource that is still in use.
  static let busy: Int32 = UV_EBUSY.rawValue

  /// The code for memory that the system refuses.
  static let outOfMemory: Int32 = UV_ENOMEM.rawValue

  /// The code for a function that the system does not have.
  static let notSupported: Int32 = UV_ENOSYS.rawValue

  /// The code for a descriptor that is not open.
  static let badDescriptor: Int32 = UV_EBADF.rawValue

  /// The function that failed, as `Type.function`.
  public let operation: String

  /// Creates an error with `code`.
  ///
  /// For libraries that are built on a loop and call the system themselves.
  ///
  /// - Parameters:
  ///   - code: libuv's error code, or `-errno` of a failed system call.
  ///   - operation: The function that failed, as `Type.function`.
  public init(code: Int32, operation: String) {
    self.code = code
    self.operation = operation
  }

  /// libuv's name of the code, such as `EMFILE`.
  public var name: String { String(cString: uv_err_name(code)) }

  /// libuv's description of the error, and the usual remedy if there is one.
  /// Control characters in `operation` are escaped, as in `\u001b`.
  public var description: String {
    let place = operation.escapingControls()
    let sentence = "\(place): \(String(cString: uv_strerror(code))) (\(name))"
    guard let remedy else { return sentence }
    return "\(sentence); \(remedy)"
  }

  private var remedy: String? {
    switch code {
    case UV_EMFILE.rawValue: "close descriptors, or raise the limit with `ulimit -n`"
    case UV_ENFILE.rawValue: "the whole system is out of descriptors: raise fs.file-max"
    case UV_ENOMEM.rawValue: "free memory, or use fewer loops and timers"
    case UV_EADDRINUSE.rawValue:
      "choose another port, 0 for a free one, or remove the stale file of a Unix socket"
    case UV_ECONNREFUSED.rawValue: "check that a server listens at the address"
    case UV_EBUSY.rawValue where operation.hasPrefix("LoopWatchdog"):
      "create the watchdog before other code takes the signal, or without stacks"
    case UV_EBUSY.rawValue where operation.hasPrefix("LoopTrace"):
      "choose a signal that the process neither handles nor ignores"
    case UV_ELOOP.rawValue where operation.hasPrefix("LoopTrace"),
      UV_EFTYPE.rawValue where operation.hasPrefix("LoopTrace"),
      UV_ENXIO.rawValue where operation.hasPrefix("LoopTrace"),
      UV_EISDIR.rawValue where operation.hasPrefix("LoopTrace"),
      UV_EPERM.rawValue where operation.hasPrefix("LoopTrace"):
      "name a regular file of this user, in a folder that others cannot write to"
    case UV_EINVAL.rawValue where operation.hasPrefix("EventLoop.onSignal"):
      "choose a signal that can be caught and reports no fault, such as SIGTERM"
    case UV_EBUSY.rawValue: "close the handles that are still open on the loop first"
    default: nil
    }
  }
}

/// Returns `result`, or throws if it is negative. libuv's errors are negative.
@discardableResult
package func check(
  _ result: Int32,
  _ operation: @autoclosure () -> String
) throws(UVError) -> Int32 {
  guard result < 0 else { return result }
  throw UVError(code: result, operation: operation())
}
