extension AsyncTransaction {
  /// The result of an operation.
  public enum Outcome<Value> {
    /// The body returned this value.
    case value(Value)
    /// The operation or its transaction was cancelled.
    case cancelled
    /// The body threw this error.
    case failed(any Error)
  }

  /// A handle to an operation of a transaction.
  ///
  /// Use it from any thread.
  public struct Operation: Sendable {
    let item: OperationItem

    /// The name used in error messages.
    public var name: String { item.name }

    /// Whether the operation or its transaction was cancelled.
    ///
    /// Call from any thread. One atomic read.
    public var isCancelled: Bool { item.isCancelled }

    /// Cancels this operation. Other operations of its transaction are not
    /// affected.
    ///
    /// Call from any thread. Works as `ScheduledOperation.cancel()`. The outcome
    /// is `.cancelled`, unless the completion was already called.
    ///
    /// Operations of a `SingleFlight` share one body. The body still runs
    /// unless all of these operations are cancelled.
    ///
    /// - Returns: `true` if the operation had not begun, so its body does not
    ///   run. `false` if it had begun, had ended or was already cancelled.
    /// - Complexity: O(1).
    @discardableResult
    public func cancel() -> Bool { item.cancel() }

    /// Moves the operation behind the queued operations of `priority`, if it
    /// has not begun.
    ///
    /// Call from any thread.
    ///
    /// - Returns: `true` if the operation had not begun.
    /// - Complexity: O(1).
    @discardableResult
    public func setPriority(_ priority: OperationPriority) -> Bool {
      item.move(to: OperationBacklog.level(priority))
    }
  }
}

extension AsyncTransaction.Outcome {
  /// The value, or nil if the operation was cancelled or failed.
  public var value: Value? {
    if case .value(let value) = self { return value }
    return nil
  }

  /// Returns the value.
  ///
  /// - Throws: The error of the operation, or a `CancellationError`.
  public func get() throws -> Value {
    switch self {
    case .value(let value): return value
    case .cancelled: throw CancellationError()
    case .failed(let error): throw error
    }
  }
}

extension AsyncTransaction.Outcome: Sendable where Value: Sendable {}
