package import LoopTransactions

/// How far a scroll goes while a card is drawn: what is begun for where it is now would
/// come too late.
package struct ScrollPredictor {
  private var position: Double?
  private var instant = LoopClock.Instant(nanoseconds: 0)
  private var speed = 0.0
  // Seconds.
  private var wait = 0.0

  /// Nothing is known.
  package init() {}

  // A quarter of what is new: some frames, or some cards, decide.
  private static let weight = 0.25

  /// Points from where it is to where it will be.
  package var shift: Double { speed * wait }

  /// Takes note of where it is. Further than `jump` from where it was, it was not
  /// scrolled there.
  package mutating func moved(to position: Double, at instant: LoopClock.Instant, jump: Double) {
    defer { (self.position, self.instant) = (position, instant) }
    guard let last = self.position else { return }
    guard abs(position - last) <= jump else { return speed = 0 }
    let seconds = self.instant.duration(to: instant) / .seconds(1)
    guard seconds > 0 else { return }
    speed += Self.weight * ((position - last) / seconds - speed)
  }

  /// Takes note of how long a card was waited for, whether or not it came.
  package mutating func waited(_ duration: Duration) {
    // Half a second at most: one that waits longer was not wanted much.
    wait += Self.weight * (min(0.5, duration / .seconds(1)) - wait)
  }
}
