import LoopTransactions

/// Keeps the thread busy.
func spin(for duration: Duration) {
  let end = LoopClock.now.advanced(by: duration)
  while LoopClock.now < end {}
}
