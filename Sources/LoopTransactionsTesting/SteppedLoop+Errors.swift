extension SteppedLoop {
  /// The error of an `async` test that is not isolated to an actor.
  ///
  /// Such a test changes threads when it awaits, and its tasks run at the same
  /// time as the test, so its steps have no fixed order. Mark it `@MainActor`.
  public struct IsolationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The function of `SteppedLoop` that the test called.
    public let operation: String

    package init(operation: String) { self.operation = operation }

    /// The error message.
    public var description: String {
      """
      SteppedLoop.\(operation): called in an async function that is not isolated to an actor, and \
      so changes threads when it awaits; mark the test @MainActor
      """
    }
  }

  static func checkIsolated(_ operation: String, _ isolation: (any Actor)?) throws {
    if isolation == nil { throw IsolationError(operation: operation) }
  }

  /// The error of `value(of:)` if the task sleeps on the loop's clock, which
  /// stands still. Also the error of `close()` if `waitForTransactions()` or
  /// `waitForOperations(of:)` could not end for this reason.
  public struct SleepError: Error, Hashable, Sendable, CustomStringConvertible {
    /// How far the clock must advance until the task wakes.
    public let remaining: Duration

    private let operation: String

    package init(remaining: Duration, in operation: String = "value") {
      self.remaining = remaining
      self.operation = operation
    }

    /// The error message.
    public var description: String {
      """
      SteppedLoop.\(operation): the task sleeps on the loop's clock, which stands still; call \
      advance(by:) with \(remaining) or more after the task has begun to sleep
      """
    }
  }

  /// The error of `close()` if async transactions with operations were not
  /// committed, so their completions were not called before.
  public struct UncommittedError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The names of the transactions, in the order in which they were created.
    public let transactions: [String]

    package init(transactions: [String]) { self.transactions = transactions }

    /// The error message.
    public var description: String {
      """
      SteppedLoop.close: async transactions with operations were not committed: \
      \(transactions.joined(separator: ", ")); call commit(), even to cancel them
      """
    }
  }

  /// The error of a test that used a stepped loop on several threads.
  ///
  /// The loop was created by a synchronous function that is not isolated to an
  /// actor, for a test that awaits. Mark the test and that function
  /// `@MainActor`.
  public struct MovedError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The function whose call was the first on another thread.
    public let operation: String

    package init(operation: String) { self.operation = operation }

    /// The error message.
    public var description: String {
      """
      SteppedLoop: \(operation) was called on another thread than the functions before it, because \
      a nonisolated async test changes threads when it awaits; mark the test @MainActor, and the \
      function that creates the loop
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
