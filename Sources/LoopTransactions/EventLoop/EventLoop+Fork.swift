// A child process that runs the loop it inherited. I15.
extension EventLoop {
  /// Detaches from a host's loop that runs in a child process. The pending work
  /// is left to the parent.
  @inline(never)
  func leaveToParent() {
    guard state == .idle else { trapInChild() }
    ticks.setOwner(nil)
    stopInChild()
  }

  /// Keeps the child's copy of libuv's loop from spinning on, or waiting for,
  /// the parent's events. State shared through the kernel is left unchanged.
  func stopInChild() {
    guard !wasTornDown else { return }
    ticks.disarm()
    // Set so that `arm()` does not arm the loop again.
    isArmed = true
    wakeSource.stopInChild(of: uv)
    timers.forEach { $0.stopInChild() }
    deadlines.stopInChild(of: uv)
    for part in parts { part.stopInChild(of: uv) }
  }

  /// Traps, because a run that this library started belongs to the parent.
  func trapInChild() -> Never {
    trap("EventLoop.run: the loop belongs to the parent process; make one in the child")
  }
}
