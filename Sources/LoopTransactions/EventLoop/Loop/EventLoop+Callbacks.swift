// The functions that libuv calls. They are at file scope because a closure in
// main-actor code would trap on another thread.

func loopWillWait(_ handle: PrepareHandle?) {
  withLoop(of: handle) { loop in
    // A host waits after its turn, and not in the poll of the turn.
    if loop.isHostTurn { return }
    loop.isRunByUs ? loop.beforeWaiting() : loop.ownerWillWait()
  }
}

func loopDidWait(_ handle: CheckHandle?) {
  withLoop(of: handle) { $0.isRunByUs ? $0.afterWaiting() : $0.ownerDidWait() }
}

/// Calls `body` with the handle's loop.
@inline(__always)
private func withLoop<Raw>(
  of handle: UnsafeMutablePointer<Raw>?,
  _ body: (EventLoop) -> Void
) {
  // Not retained, which saves 10 ns a tick. The current run keeps an owned loop
  // alive, and `calledBack` an adopted one.
  unmanagedOwner(of: handle, as: EventLoop.self)?._withUnsafeGuaranteedRef(body)
}

func wakeDescriptorIsReadable(
  _ handle: PollHandle?,
  _ status: Int32,
  _ events: Int32
) {
  // If there is no owner, the loop was released while open, or closed in a
  // child process. Nothing reads the descriptor any more.
  guard let loop = owner(of: handle, as: EventLoop.self) else { return stopWatching(handle) }
  loop.calledBack { loop.woke() }
}

func wakeHandleWasSent(_ handle: AsyncHandle?) {
  guard let loop = owner(of: handle, as: EventLoop.self) else { return }
  loop.calledBack { loop.woke() }
}

func timerIsDue(_ handle: TimerHandle?) {
  owner(of: handle, as: LoopTimer.self)?.timerFired()
}

func deadlineWasReached(_ handle: PollHandle?, _ status: Int32, _ events: Int32) {
  // If there is no owner, a child process closed the loop it inherited, and runs
  // its host's.
  guard let loop = owner(of: handle, as: EventLoop.self) else { return stopWatching(handle) }
  loop.deadlineReached()
}
