// A loop that was released without `close()`. L11.
extension EventLoop {
  /// Reports that the loop was released while open, and refuses all that it accepted.
  ///
  /// Called by `deinit`, so on the thread that released the loop, where all that it
  /// refuses is released.
  func reportUnlessClosed() {
    guard state != .closed else { return }
    guard !core.isForked else { return abandon() }
    let message = "EventLoop: released while open; call close() on its thread first"
    if trapsWhenReleasedOpen { assertionFailure(message) }
    System.logToStandardError(message)
    core.inbox.close()
    becomeUnreachable()
    refuseAccepted()
    for part in parts { part.loopWasReleased() }
    // A host runs on, and would fire them.
    while let timer = timers.any {
      timers.remove(timer)
      timer.leaveLoop()
    }
    // Activities keep their observer, whose callback tells the tasks of the end.
    for observer in observers.removeAll() { observer.invalidate() }
    // Last: late jobs begin on a worker now, and this thread is done with the loop.
    core.loopDidLeaveThread()
  }

  /// Releases what was posted and did not run. Nothing can be posted any more.
  private func refuseAccepted() {
    var posted = ItemBuffer()
    core.inbox.drain(into: &posted)
    refuse(&inboxBatch.pointee)
    refuse(&posted)
    refuse(&localBatch.pointee)
    refuse(&local)
    posted.free()
  }

  private func refuse(_ items: inout ItemBuffer) {
    while items.remaining > 0 {
      var item = items.removeFirst()
      if item.kind == PostedItem.portTransaction { commits.willDropPosted(portTransaction: item.first) }
      item.refuse(on: core)
    }
  }
}

/// An object whose posted call somebody waits for.
protocol AwaitedCall: AnyObject {
  /// The call will not be made: the loop was released without `close()`.
  ///
  /// Call from any thread.
  func wasRefused()
}

extension PostedItem {
  /// Gives up the item, which the loop of `core` accepted and will not run.
  fileprivate mutating func refuse(on core: PortCore) {
    switch kind {
    case Self.firstJob..<Self.portTransaction:
      // A task that waits for its job keeps the port.
      guard let port = UnsafeRawPointer(bitPattern: first) else { return }
      core.orphanedJobs.add(self, Unmanaged<LoopPort>.fromOpaque(port).takeUnretainedValue())
    case Self.call:
      if let object = UnsafeRawPointer(bitPattern: second) {
        let object = Unmanaged<AnyObject>.fromOpaque(object).takeUnretainedValue()
        (object as? any AwaitedCall)?.wasRefused()
      }
      drop()
    default: drop()
    }
  }
}
