import CThread

/// How the kernel shares processors between the loop and busy workers.
///
/// By default, a loop that becomes ready may wait for several milliseconds,
/// until a worker has used its time slice.
public enum ProcessorShare {
  /// Requests a 1 ms scheduler slice so that the calling thread is woken
  /// sooner.
  ///
  /// Call on the loop's thread. Needs Linux 6.12; elsewhere it does nothing.
  /// Returns false if the kernel refused.
  @discardableResult
  public static func takeShortTurns() -> Bool {
    // Longer than a tick of the feed and shorter than a worker's slice. A tick
    // that is preempted waits for all workers.
    ct_short_turns(1_000_000) != 0
  }
}

/// Lowers the priority of the calling worker thread.
func giveWay() {
  // Nice 5 is a third of an ordinary thread's share when both compute.
  ct_give_way(5)
}
