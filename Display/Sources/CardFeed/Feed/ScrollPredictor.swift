package import LoopTransactions

/// Predicts how far the feed scrolls while a card is drawn. Without a
/// prediction, a card chosen for the current position would be shown too late.
package struct ScrollPredictor {
  private var position: Double?
  private var instant = LoopClock.Instant(nanoseconds: 0)
  private var speed = 0.0
  // The moving average of the time that a card takes, in seconds.
  private var wait = 0.0

  /// Creates a predictor without any history.
  package init() {}

  // The weight of a new sample, so that the average covers several frames or
  // cards. Not measured.
  private static let weight = 0.25

  /// The distance in points from the current position to the predicted
  /// position.
  package var shift: Double { speed * wait }

  /// Records the position. A step longer than `jump` does not count as
  /// scrolling, and resets the speed.
  package mutating func moved(to position: Double, at instant: LoopClock.Instant, jump: Double) {
    defer { (self.position, self.instant) = (position, instant) }
    guard let last = self.position else { return }
    guard abs(position - last) <= jump else { return speed = 0 }
    let seconds = self.instant.duration(to: instant) / .seconds(1)
    guard seconds > 0 else { return }
    speed += Self.weight * ((position - last) / seconds - speed)
  }

  /// Records how long the feed waited for a card, whether or not the card was
  /// shown.
  package mutating func waited(_ duration: Duration) {
    // The time is capped at half a second, because a card that waits longer had
    // a low priority.
    wait += Self.weight * (min(0.5, duration / .seconds(1)) - wait)
  }
}
