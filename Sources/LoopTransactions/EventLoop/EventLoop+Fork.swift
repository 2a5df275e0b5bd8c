// A child process that runs on the loop it inherited. I15.
extension EventLoop {
  /// Takes no further part in a host's loop, which runs in a child process: what
  /// is owed is the parent's to perform.
  @inline(never)
  func leaveToParent() {
    guard state == .idle else { trapInChild() }
    ticks.setOwner(nil)
    stopInChild()
  }

  /// Keeps the child's copy of libuv's loop from spinning, and from waiting, for
  /// what the parent waits for. What the kernel shares stays as it is.
  func stopInChild() {
    guard !wasTornDown else { return }
    ticks.disarm()
    // Nothing arms it any more.
    isArmed = true
    wakeSource.stopInChild(of: uv)
    timers.forEach { $0.stopInChild(of: uv) }
    for part in parts { part.stopInChild(of: uv) }
  }

  /// Ends the process: a run of ours is the parent's.
  func trapInChild() -> Never {
    trap("EventLoop.run: the loop belongs to the parent process; make one in the child")
  }
}
