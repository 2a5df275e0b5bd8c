extension AsyncTransaction {
  /// How an operation ended.
  public enum Outcome<Value> {
    /// It ran, and made this.
    case value(Value)
    /// It, or its transaction, was cancelled.
    case cancelled
    /// It ran, and threw this.
    case failed(any Error)
  }

  /// One operation of a transaction.
  ///
  /// Use it on any thread.
  public struct Operation: Sendable {
    let item: OperationItem

    /// What a diagnosis calls it.
    public var name: String { item.name }

    /// Whether it was cancelled, alone or with its transaction.
    ///
    /// Read it on any thread; one atomic read.
    public var isCancelled: Bool { item.isCancelled }

    /// Cancels this operation alone: it does not run if it waits, is told if it
    /// runs, and its outcome is `.cancelled` unless it was called already.
    ///
    /// Call from any thread.
    ///
    /// - Complexity: O(1).
    public func cancel() { item.cancel() }

    /// Puts the operation behind those of `priority`, if it waits; whether it does.
    ///
    /// Call from any thread.
    ///
    /// - Complexity: O(1).
    @discardableResult
    public func setPriority(_ priority: OperationPriority) -> Bool {
      item.move(to: OperationBacklog.level(priority))
    }
  }
}

extension AsyncTransaction.Outcome {
  /// What it made, or nil.
  public var value: Value? {
    if case .value(let value) = self { return value }
    return nil
  }

  /// What it made.
  ///
  /// - Throws: What the operation threw, or a `CancellationError`.
  public func get() throws -> Value {
    switch self {
    case .value(let value): return value
    case .cancelled: throw CancellationError()
    case .failed(let error): throw error
    }
  }
}

extension AsyncTransaction.Outcome: Sendable where Value: Sendable {}
