import LoopTransactions

/// Keeps the thread busy for `duration`.
func spin(for duration: Duration) {
  let end = LoopClock.now.advanced(by: duration)
  while LoopClock.now < end {}
}
