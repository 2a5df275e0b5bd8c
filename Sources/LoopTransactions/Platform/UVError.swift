import CUV

/// A failure that the machine, not the program, is to blame for.
///
/// Carries libuv's own name and sentence. Where there is a usual remedy, the
/// description says it.
///
/// A value: make and read it on any thread.
public struct UVError: Error, Hashable, Sendable, CustomStringConvertible {
  /// libuv's code: a negated `errno`, or one of libuv's own.
  public let code: Int32

  /// Something is still in use.
  static let busy: Int32 = UV_EBUSY.rawValue

  /// What was being done, as `Type.function`.
  public let operation: String

  /// Wraps `code`, which `operation` got.
  ///
  /// For what is built on a loop, and calls the system itself.
  ///
  /// - Parameter code: libuv's: `-errno` of a call of the system's.
  /// - Parameter operation: What was being done, as `Type.function`.
  public init(code: Int32, operation: String) {
    self.code = code
    self.operation = operation
  }

  /// libuv's name for the code, such as `EMFILE`.
  public var name: String { String(cString: uv_err_name(code)) }

  /// libuv's sentence, followed by the remedy if there is a usual one.
  public var description: String {
    let sentence = "\(operation): \(String(cString: uv_strerror(code))) (\(name))"
    guard let remedy else { return sentence }
    return "\(sentence); \(remedy)"
  }

  private var remedy: String? {
    switch code {
    case UV_EMFILE.rawValue: "close descriptors, or raise the limit with `ulimit -n`"
    case UV_ENFILE.rawValue: "the whole system is out of descriptors: raise fs.file-max"
    case UV_ENOMEM.rawValue: "free memory, or use fewer loops and timers"
    case UV_EBUSY.rawValue: "close the handles that are still open on the loop first"
    default: nil
    }
  }
}

/// Throws what libuv reports by a negative result.
@discardableResult
func check(_ result: Int32, _ operation: @autoclosure () -> String) throws(UVError) -> Int32 {
  guard result < 0 else { return result }
  throw UVError(code: result, operation: operation())
}
