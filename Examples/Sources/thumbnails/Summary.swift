/// The results of a run.
struct Summary: CustomStringConvertible {
  var made = 0
  var cancelled = 0
  var failed = 0
  /// The number of invisible pictures that were done before the last visible picture.
  /// Either they had begun before the last scroll, or the scheduler's aging slot
  /// picked them.
  var outOfOrder = 0
  /// The number of times that the loop was woken.
  var wakes: UInt64 = 0

  var description: String {
    """
    \(made) made, \(cancelled) cancelled, \(failed) failed; \(outOfOrder) out of order; \
    \(wakes) wakes
    """
  }
}
