package import LoopTransactions

/// Predicts how far the feed scrolls while a card is drawn. A card chosen for
/// the current position would be shown too late.
package struct ScrollPredictor {
  private var position: Double?
  private var instant = LoopClock.Instant(nanoseconds: 0)
  private var speed = 0.0
  // Seconds. A moving average of the time cards take.
  private var wait = 0.0

  /// Creates a prediction without any history.
  package init() {}

  // The weight of a new sample. An average of several frames or cards. Not
  // measured.
  private static let weight = 0.25

  /// Points from the current position to the predicted one.
  package var shift: Double { speed * wait }

  /// Records the position. A step further than `jump` is not a scroll, and
  /// resets the speed.
  package mutating func moved(to position: Double, at instant: LoopClock.Instant, jump: Double) {
    defer { (self.position, self.instant) = (position, instant) }
    guard let last = self.position else { return }
    guard abs(position - last) <= jump else { return speed = 0 }
    let seconds = self.instant.duration(to: instant) / .seconds(1)
    guard seconds > 0 else { return }
    speed += Self.weight * ((position - last) / seconds - speed)
  }

  /// Records how long a card was waited for, whether or not it was shown.
  package mutating func waited(_ duration: Duration) {
    // Capped at half a second. A card that waits longer had a low priority.
    wait += Self.weight * (min(0.5, duration / .seconds(1)) - wait)
  }
}
