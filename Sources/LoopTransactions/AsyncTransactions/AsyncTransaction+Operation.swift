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

    /// Cancels this operation, and no other of its transaction.
    ///
    /// Call from any thread. A queued operation does not run, and its body is
    /// released on this thread. A running one can poll `isCancelled`. The
    /// outcome is `.cancelled`, unless the completion was called before.
    ///
    /// Operations of a `SingleFlight` share one body. It runs as long as an
    /// operation that was not cancelled waits for its result.
    ///
    /// - Returns: `true` if the operation had not begun, so its body does not
    ///   run. `false` if it had begun or ended, or was cancelled before.
    /// - Complexity: O(1). For a `SingleFlight`, O(n) in the operations that wait
    ///   for the key.
    @discardableResult
    public func cancel() -> Bool { item.cancel() }

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
