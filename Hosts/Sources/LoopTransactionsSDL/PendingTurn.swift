internal import LoopTransactions

/// A turn that waits for its event.
final class PendingTurn: Sendable {
  private let turn = Locked<(@Sendable () -> Void)?>(nil)

  /// Stores another turn, and returns the previous one, which the caller
  /// releases.
  @discardableResult
  func replace(_ new: (@Sendable () -> Void)?) -> (@Sendable () -> Void)? {
    turn.withLock { turn in
      defer { turn = new }
      return turn
    }
  }
}
