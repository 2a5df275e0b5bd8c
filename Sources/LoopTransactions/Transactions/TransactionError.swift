/// An action that threw.
///
/// The rest of the transactions were performed all the same. A value: read it on
/// any thread.
public struct TransactionError: Error, CustomStringConvertible {
  /// What the action threw.
  public let error: any Error

  /// The class that the selector belongs to.
  public let targetType: Any.Type

  /// The selector's name.
  public let selector: String

  /// The target type, the selector and the error in one line.
  public var description: String {
    "LoopTransactions: \(targetType).\(selector) threw \(error)"
  }
}

extension EventLoop {
  /// Told of each action that threw. By default standard error is.
  ///
  /// Call on the loop.
  public var errorHandler: (TransactionError) -> Void {
    get {
      checkThread("EventLoop.errorHandler")
      return transactions.errorHandler
    }
    set {
      checkThread("EventLoop.errorHandler")
      // Released outside the access: what goes with it may ask the loop.
      let old = transactions.errorHandler
      transactions.errorHandler = newValue
      withExtendedLifetime(old) {}
    }
  }
}
