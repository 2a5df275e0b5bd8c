import AsyncDisplay
import LoopTransactions

/// A place on the screen that shows one card after the other.
final class FeedCell {
  /// The card that it is to show; nil for one that waits to be used again.
  private(set) var index: Int?
  /// When it began to want it.
  private(set) var since = LoopClock.Instant(nanoseconds: 0)
  /// The card, once it is built.
  private(set) var card: Card?
  /// A picture of it that was kept.
  var kept: Bitmap?
  /// How urgent it is.
  private(set) var priority = OperationPriority.normal

  private var building: (operation: AsyncTransaction.Operation, watch: CancelWatch?)?

  /// What it shows.
  var contents: Bitmap? { kept ?? card?.layer?.contents }

  /// Begins to show the card at `index`.
  func begin(_ index: Int, at instant: LoopClock.Instant, priority: OperationPriority) {
    self.index = index
    since = instant
    self.priority = priority
  }

  /// Waits for `operation`, which builds its card.
  func wait(for operation: AsyncTransaction.Operation, _ watch: CancelWatch?) {
    building = (operation, watch)
  }

  /// Takes the card that was built for it.
  func take(_ card: Card) {
    building = nil
    self.card = card
  }

  /// Forgets its card, and cancels what is done for it.
  ///
  /// TUT-7, TUT-16: a card is built anew for whoever uses the cell next.
  func end() {
    index = nil
    building?.watch?.cancel()
    building?.operation.cancel()
    building = nil
    card?.onDisplayed = nil
    card?.unload()
    card = nil
    kept = nil
  }

  /// Has its card come sooner, or later.
  func rank(_ priority: OperationPriority) {
    if priority != self.priority { building?.operation.setPriority(priority) }
    self.priority = priority
    if contents == nil { rankCard() }
  }

  /// Has its card come as it is ranked; once a picture of it is there, before others are
  /// begun: what is half done is of no use to anybody.
  func rankCard() {
    guard let card else { return }
    card.priority = card.isBegun ? .interactive : priority
    card.layer?.priority = .interactive
  }

  /// Has its card drawn anew.
  func invalidate() { card?.setNeedsDisplay() }
}
