// What `dump`, a debugger and a failed expectation show. Each mirror may be asked for on
// any thread, and in a child process, where no lock is taken.

extension AsyncTransactionCore: Unreflected {}
extension UnfinishedTransactions: Unreflected {}
extension UnfinishedTransactions.Links: Unreflected {}

extension AsyncTransaction: CustomReflectable {
  /// Its name and its state.
  public var customMirror: Mirror { Mirror(self, showing: [("name", name), ("state", state)]) }
}

extension AsyncTransaction.Operation: CustomReflectable {
  /// Its name, and whether it was cancelled.
  public var customMirror: Mirror {
    Mirror(self, showing: [("name", name), ("isCancelled", isCancelled)])
  }
}

extension TransactionGroup: CustomReflectable {
  /// How many transactions it will commit, on the loop's thread.
  public var customMirror: Mirror {
    Mirror(self, showing: thread == System.thread ? [("count", count)] : [])
  }
}

extension TransactionContainer: CustomReflectable {
  /// Its name, and on the loop's thread its settings and whether it has transactions.
  public var customMirror: Mirror {
    Mirror(
      self,
      showing: [("name", name)]
        + core.onThread { [("collects", collects), ("isPending", isPending)] }
    )
  }
}
