import AsyncDisplay
import LoopTransactions

/// A reusable cell that shows one card at a time.
final class FeedCell {
  /// The index of the card to show, or nil while the cell is unused.
  private(set) var index: Int?
  /// The time at which the feed requested the card.
  private(set) var since = LoopClock.Instant(nanoseconds: 0)
  /// The card, or nil until it is built.
  private(set) var card: Card?
  /// The picture of the card if it was kept from an earlier display.
  var kept: Bitmap?
  /// The priority of building and drawing the card.
  private(set) var priority = OperationPriority.normal

  private var building: (operation: AsyncTransaction.Operation, watch: CancelWatch?)?

  /// The bitmap to show.
  var contents: Bitmap? { kept ?? card?.layer?.contents }

  /// Begins to show the card at `index`.
  func begin(_ index: Int, at instant: LoopClock.Instant, priority: OperationPriority) {
    self.index = index
    since = instant
    self.priority = priority
  }

  /// Stores `operation`, which builds the card.
  func wait(for operation: AsyncTransaction.Operation, _ watch: CancelWatch?) {
    building = (operation, watch)
  }

  /// Stores the finished card.
  func take(_ card: Card) {
    building = nil
    self.card = card
  }

  /// Cancels work for the card and releases it.
  ///
  /// The next card of the cell is built from scratch, because a reused card
  /// could show old contents.
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

  /// Changes the priority of building and drawing the card.
  func rank(_ priority: OperationPriority) {
    if priority != self.priority { building?.operation.setPriority(priority) }
    self.priority = priority
    if contents == nil { rankCard() }
  }

  /// Applies the priority. A card with a decoded picture comes before cards
  /// that have not begun, because half-finished work is useless.
  func rankCard() {
    guard let card else { return }
    card.priority = card.isBegun ? .interactive : priority
    card.layer?.priority = .interactive
  }

  /// Redraws the card.
  func invalidate() { card?.setNeedsDisplay() }
}
