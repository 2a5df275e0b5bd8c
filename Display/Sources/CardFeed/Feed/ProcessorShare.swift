import CThread

/// Controls how the kernel shares processors between the loop and busy workers.
///
/// By default, a loop that becomes ready may wait for several milliseconds,
/// until a worker has used its time slice.
public enum ProcessorShare {
  /// Requests a scheduler slice of 1 ms, so that the kernel wakes the calling
  /// thread sooner.
  ///
  /// Call on the loop's thread. Needs Linux 6.12, and does nothing elsewhere.
  /// Returns false if the kernel refused.
  @discardableResult
  public static func takeShortTurns() -> Bool {
    // The slice is longer than a tick of the feed and shorter than a worker's
    // slice. A tick that is preempted has to wait for all workers.
    ct_short_turns(1_000_000) != 0
  }
}

/// Lowers the priority of the calling worker thread.
func giveWay() {
  // When both threads compute, a thread with nice value 5 gets a third of an
  // ordinary thread's share.
  ct_give_way(5)
}
