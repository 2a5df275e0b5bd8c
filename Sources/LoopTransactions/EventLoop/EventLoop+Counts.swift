// How much a loop keeps, for tests. Call on the loop.
extension EventLoop {
  /// How many timers have not ended.
  package var timerCount: Int { timers.count }

  /// How many observers are attached, the loop's own among them.
  package var observerCount: Int { observers.count }
}
