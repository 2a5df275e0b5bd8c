extension AsyncTransaction {
  /// Waits until the transaction is complete.
  ///
  /// Call on the loop: from an actor pinned to it, or from the main actor if
  /// the main thread runs it. The task continues on that actor, after the
  /// completions and the closures passed to `whenComplete(_:)`. Does not block
  /// the loop. Returns immediately if the transaction is complete. Several tasks
  /// may wait; they resume in the order in which they began to.
  ///
  /// Does not commit the transaction. Cancelling the task does not end the
  /// wait; cancel the transaction instead. Closing the loop completes the
  /// transaction. If the loop is released without `close()`, this returns
  /// although the transaction never completes.
  ///
  /// ```swift
  /// transaction.commit()
  /// await transaction.completion
  /// ```
  ///
  /// See also: `waitUntilComplete()` blocks the loop's thread instead.
  ///
  /// - Complexity: O(1).
  public nonisolated(nonsending) var completion: Void {
    get async {
      check("AsyncTransaction.completion")
      guard state != .complete, !unfinished.isAbandoned else { return }
      await withUnsafeContinuation { awaiters.append($0) }
    }
  }

  /// Calls the closures of `whenComplete(_:)`.
  func callEndings() {
    let endings = endings
    self.endings = []
    for ending in endings { ending(self) }
  }

  /// Resumes the tasks that wait for `completion`.
  func resumeAwaiters() {
    let awaiters = awaiters
    self.awaiters = []
    for awaiter in awaiters { awaiter.resume() }
  }
}
