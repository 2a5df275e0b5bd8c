// Counts for tests. Call on the loop.
extension EventLoop {
  /// The number of timers that have not ended.
  package var timerCount: Int { timers.count }

  /// The number of attached observers, including the loop's own.
  package var observerCount: Int { observers.count }
}
