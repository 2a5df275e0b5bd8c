// A loop that is released without `close()`. L11.
extension EventLoop {
  /// Reports that the loop was released while open, and refuses everything it
  /// accepted.
  ///
  /// Called by `deinit`, on the thread that released the loop. Refused closures
  /// and targets are released on that thread.
  func reportUnlessClosed() {
    guard state != .closed else { return }
    guard !core.isForked else { return abandon() }
    // Not a trap, which would hide the error that is thrown past the loop.
    System.logToStandardError(
      "EventLoop: released while open; call close() on its thread first, or use EventLoop.run(body:), "
        + "which closes its loop"
    )
    core.inbox.close()
    becomeUnreachable()
    refuseAccepted()
    // Timers are ended, because a host that keeps running its loop would fire
    // them. Before the parts, because a part may withdraw the request of a
    // timer, which would use the loop.
    while let timer = timers.any {
      timers.remove(timer)
      timer.end(on: self)
    }
    deadlines.close()
    for part in parts { part.loopWasReleased() }
    // `LoopActivities` retains its observer, whose callback ends the sequences.
    for observer in observers.removeAll() { observer.invalidate() }
    endRecording()
    // Called last, because workers start orphaned jobs from now on, and this
    // thread must no longer use the loop.
    core.loopDidLeaveThread()
  }

  /// Releases the posts that did not run. Nothing can be posted any more.
  func refuseAccepted() {
    var posted = ItemBuffer()
    core.inbox.drain(into: &posted)
    refuse(&received.inboxBatch.pointee)
    refuse(&posted)
    refuse(&received.localBatch.pointee)
    refuse(&received.local)
    posted.free()
  }

  private func refuse(_ items: inout ItemBuffer) {
    while items.remaining > 0 {
      var item = items.removeFirst()
      if item.kind == PostedItem.portTransaction {
        transactions.willDropPosted(portTransaction: item.first)
      }
      item.refuse(on: core)
    }
  }
}

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
