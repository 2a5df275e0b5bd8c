private import CLoopbench

#if canImport(Darwin)
  private import Darwin
#elseif canImport(Glibc)
  private import Glibc
#elseif canImport(Musl)
  private import Musl
#endif

/// An `errno`, described as libuv does.
public struct SystemError: Error, Equatable, CustomStringConvertible, Sendable {
  /// The positive number.
  public let code: Int32

  /// Wraps an `errno`, of either sign.
  public init(code: Int32) {
    self.code = abs(code)
  }

  /// Why threads may not have that real-time priority here; `nil` when they may.
  package static func refusing(priority: Int) -> SystemError? {
    let error = cl_thread_try_priority(Int32(priority))
    return error == 0 ? nil : SystemError(code: error)
  }

  package static let tooLarge = SystemError(code: EFBIG)

  /// As `cl_open_regular_input` reports it.
  package static let notRegular = SystemError(code: EINVAL)

  /// The system's sentence: "permission denied".
  public var description: String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      guard let text = buffer.baseAddress else { return "error \(code)" }
      cl_error_message(code, text, buffer.count)
      return String(cString: text)
    }
  }
}
