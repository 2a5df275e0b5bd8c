/// An error that JavaScript threw, or that is thrown to JavaScript.
///
/// A Swift error of another type becomes an `Error` with its description as the message.
public struct NodeError: Error, Hashable, Sendable {
  /// The name of the class, such as `TypeError`.
  public var name: String
  /// The property `message`.
  public var message: String
  /// The property `code`, which Node's own errors also have.
  public var code: String?

  /// Creates an error.
  public init(_ message: String, name: String = "Error", code: String? = nil) {
    self.name = name
    self.message = message
    self.code = code
  }
}

extension NodeError {
  static func wrongType(_ message: String) -> NodeError {
    NodeError(message, name: "TypeError", code: "ERR_INVALID_ARG_TYPE")
  }

  static var environmentEnded: NodeError {
    NodeError("the JavaScript environment has ended", code: "ERR_ENVIRONMENT_ENDED")
  }

  static var cancelled: NodeError {
    NodeError("the operation was cancelled", name: "AbortError", code: "ABORT_ERR")
  }

  /// The error as JavaScript sees it.
  init(_ error: any Error) {
    switch error {
    case let error as NodeError: self = error
    case is CancellationError: self = .cancelled
    default: self.init("\(error)")
    }
  }
}

extension NodeError: CustomStringConvertible {
  /// The name and the message, as JavaScript prints them.
  public var description: String { "\(name): \(message)" }
}
