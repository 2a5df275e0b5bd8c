// The mirrors that `dump`, a debugger and a failed expectation show. They can
// be created on any thread, and in a forked child process without taking a
// lock.

extension AsyncTransactionCore: Unreflected {}
extension UnfinishedTransactions: Unreflected {}
extension UnfinishedTransactions.Links: Unreflected {}

extension AsyncTransaction: CustomReflectable {
  /// Shows the name and the state.
  public var customMirror: Mirror { Mirror(self, showing: [("name", name), ("state", state)]) }
}

extension AsyncTransaction.Operation: CustomReflectable {
  /// Shows the name and whether the operation was cancelled.
  public var customMirror: Mirror {
    Mirror(self, showing: [("name", name), ("isCancelled", isCancelled)])
  }
}

extension TransactionGroup: CustomReflectable {
  /// Shows the number of open transactions. The mirror is empty off the loop's
  /// thread.
  public var customMirror: Mirror {
    Mirror(self, showing: thread == System.thread ? [("count", count)] : [])
  }
}

extension TransactionContainer: CustomReflectable {
  /// Shows the name and, on the loop's thread, `collects` and `isPending`.
  public var customMirror: Mirror {
    Mirror(
      self,
      showing: [("name", name)]
        + core.onThread { [("collects", collects), ("isPending", isPending)] }
    )
  }
}
