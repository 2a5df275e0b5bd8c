import CThread

/// How the system shares processors between the loop and workers that keep them busy.
///
/// Without it the loop, when it has something to do, may wait until a worker has had
/// its whole turn, some milliseconds.
public enum LoopThread {
  /// Has this thread run soon whenever it has something to do, for turns of a
  /// millisecond.
  ///
  /// Call on the loop's thread. Linux 6.12 or newer; elsewhere nothing changes. Whether
  /// the system took it.
  @discardableResult
  public static func takeShortTurns() -> Bool {
    // Longer than a tick of the feed, shorter than a worker's turn: a tick that is
    // interrupted waits for all workers.
    ct_short_turns(1_000_000) != 0
  }
}

/// Has this thread, a worker's, leave processors to others that want them.
func giveWay() {
  // A third of an ordinary thread's share where both compute.
  ct_give_way(5)
}
