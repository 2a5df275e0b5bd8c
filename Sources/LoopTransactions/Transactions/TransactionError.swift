/// An error thrown by an action.
///
/// The other transactions are still performed. A value: read it on any thread.
public struct TransactionError: Error, CustomStringConvertible {
  /// The error that the action threw.
  public let error: any Error

  /// The class of the target.
  public let targetType: Any.Type

  /// The name of the selector.
  public let selector: String

  /// The target type, the selector and the error, in one line.
  public var description: String {
    "LoopTransactions: \(targetType).\(selector) threw \(error)"
  }
}

extension EventLoop {
  /// Called with the error of each action that throws. By default, errors are
  /// written to standard error.
  ///
  /// Call on the loop.
  public var errorHandler: (TransactionError) -> Void {
    get {
      checkThread("EventLoop.errorHandler")
      return transactions.errorHandler
    }
    set {
      checkThread("EventLoop.errorHandler")
      // The old handler is released outside of the access, because a `deinit`
      // of its captures may use the loop.
      let old = transactions.errorHandler
      transactions.errorHandler = newValue
      withExtendedLifetime(old) {}
    }
  }
}
