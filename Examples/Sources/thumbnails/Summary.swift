/// What became of the pictures.
struct Summary: CustomStringConvertible {
  var made = 0
  var cancelled = 0
  var failed = 0
  /// Outcomes of pictures that were not visible, told while a visible one was left.
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
