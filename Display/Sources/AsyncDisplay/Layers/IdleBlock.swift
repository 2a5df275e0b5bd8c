import LoopTransactions

/// A block that is called once on the loop, when the loop has spare time.
///
/// Belongs to the loop.
public final class IdleBlock {
  private var body: (() -> Void)?

  init(_ body: @escaping () -> Void) { self.body = body }

  /// Whether the block has neither been called nor cancelled.
  public var isWaiting: Bool { body != nil }

  /// Cancels the block and releases the objects that it captured.
  ///
  /// Call on the loop. Does nothing if the block has been called.
  public func cancel() { body = nil }

  func run() {
    let body = body
    self.body = nil
    body?()
  }
}

extension Display {
  /// Calls `body` on the loop just before the loop blocks, or in a later tick
  /// if this tick has no time left.
  ///
  /// Blocks are called in the order they were added, after queues and the
  /// display commit, within the remaining budget of the tick. At least one
  /// block is called in each tick. Adding many blocks therefore delays a tick
  /// by at most the budget plus one block. A layer that `body` invalidates is
  /// displayed in the next tick. A block that `body` adds is called in a later
  /// tick.
  ///
  /// Call on the loop. From another thread, post to the loop's port.
  ///
  /// ```swift
  /// for card in cards { display.whenIdle { card.flatten() } }
  /// ```
  ///
  /// Modelled on AsyncUI, which called twelve blocks per tick regardless of
  /// their duration, and no blocks while the user scrolled.
  ///
  /// - Returns: A handle to cancel the block.
  /// - Complexity: O(1).
  @discardableResult
  public func whenIdle(_ body: @escaping () -> Void) -> IdleBlock {
    check("Display.whenIdle")
    let block = IdleBlock(body)
    idle.enqueue(block)
    return block
  }
}
