extension SteppedLoop {
  /// The error of a test that used a stepped loop on several threads.
  ///
  /// A nonisolated `async` test changes threads when it awaits, and its tasks
  /// run at the same time as the test, so its steps have no fixed order. Mark it
  /// `@MainActor`.
  public struct MovedError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The function whose call was the first on another thread.
    public let operation: String

    package init(operation: String) { self.operation = operation }

    /// The error message.
    public var description: String {
      """
      SteppedLoop: \(operation) was called on another thread than the functions before it, because \
      a nonisolated async test changes threads when it awaits; mark the test @MainActor
      """
    }
  }

  /// An error of `forEachOrder`.
  public enum OrderError: Error, CustomStringConvertible {
    /// The test threw an error. `SteppedLoop(choices:)` repeats the order.
    case failed(choices: [Int], any Error)
    /// The test has more orders than `limit`.
    case tooManyOrders(limit: Int)
    /// Two runs of the test with the same choices had different steps.
    case notRepeatable(choices: [Int])

    /// The error message.
    public var description: String {
      switch self {
      case .failed(let choices, let error):
        "SteppedLoop.forEachOrder: with SteppedLoop(choices: \(choices)): \(error)"
      case .tooManyOrders(let limit):
        """
        SteppedLoop.forEachOrder: the test has more than \(limit) orders; use fewer operations or \
        workers, or run it with seeds instead
        """
      case .notRepeatable(let choices):
        """
        SteppedLoop.forEachOrder: choices \(choices) are not possible in a second run; the steps \
        must not depend on time, threads or random numbers
        """
      }
    }
  }
}
