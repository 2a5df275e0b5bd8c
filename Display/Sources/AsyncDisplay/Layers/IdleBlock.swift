import LoopTransactions

/// Something that is called once on the loop, when that has time.
///
/// Of the loop.
public final class IdleBlock {
  private var body: (() -> Void)?

  init(_ body: @escaping () -> Void) { self.body = body }

  /// Whether it is still to be called.
  public var isWaiting: Bool { body != nil }

  /// Has it not be called, and lets go of what it holds.
  ///
  /// Call on the loop. Does nothing once it is called.
  public func cancel() { body = nil }

  func run() {
    let body = body
    self.body = nil
    body?()
  }
}

extension Display {
  /// Has `body` called on the loop just before that waits, or in a later tick if there is
  /// no time: in the order in which they came, behind queues and the display commit, within
  /// what these have left of the loop's budget.
  ///
  /// Call on the loop; off it, post to its port. However many are handed over at once,
  /// displays come first in each tick, and these take no longer than the budget and the
  /// last one of them; one is called in each. A layer that a `body` invalidates is displayed
  /// in the next tick. A block that it hands over is called in a later one.
  ///
  /// ```swift
  /// for card in cards { display.whenIdle { card.flatten() } }
  /// ```
  ///
  /// After AsyncUI, which took twelve a tick however long they were, and none while a
  /// finger scrolled.
  ///
  /// - Returns: What cancels it.
  /// - Complexity: O(1).
  @discardableResult
  public func whenIdle(_ body: @escaping () -> Void) -> IdleBlock {
    check("Display.whenIdle")
    let block = IdleBlock(body)
    idle.enqueue(block)
    return block
  }
}
