/// What became of the pictures.
struct Summary: CustomStringConvertible {
  var made = 0
  var cancelled = 0
  var failed = 0
  /// Pictures that were not visible, and whose work was done before that of one that
  /// was: begun before the last scroll, or taken by the lane of the oldest.
  var outOfOrder = 0
  /// Times that the loop was woken.
  var wakes: UInt64 = 0

  var description: String {
    """
    \(made) made, \(cancelled) cancelled, \(failed) failed; \(outOfOrder) out of order; \
    \(wakes) wakes
    """
  }
}
