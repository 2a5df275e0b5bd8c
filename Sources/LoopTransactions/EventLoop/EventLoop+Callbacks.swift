// The functions that libuv calls. They are at file scope because a closure in
// main-actor code would trap on another thread.

func loopWillWait(_ handle: PrepareHandle?) {
  withLoop(of: handle) { $0.beforeWaiting() }
}

func loopDidWait(_ handle: CheckHandle?) {
  withLoop(of: handle) { $0.afterWaiting() }
}

/// Calls `body` with the handle's loop, which stays alive until `body` returns.
@inline(__always)
private func withLoop<Raw>(
  of handle: UnsafeMutablePointer<Raw>?,
  _ body: (EventLoop) -> Void
) {
  guard let loop = unmanagedOwner(of: handle, as: EventLoop.self) else { return }
  // The current run keeps an owned loop alive, which saves 10 ns a tick. An
  // adopted loop is retained, because a callback may close and release it.
  if _fastPath(loop._withUnsafeGuaranteedRef { $0.ownsLoop }) {
    return loop._withUnsafeGuaranteedRef { body($0) }
  }
  callAdopted(loop, body)
}

// Not inlined, to keep the fast path of each callback small.
@inline(never)
private func callAdopted(_ loop: Unmanaged<EventLoop>, _ body: (EventLoop) -> Void) {
  let held = loop.takeUnretainedValue()
  withExtendedLifetime(held) { held.calledBack { body(held) } }
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
  // its host's. I15.
  guard let loop = owner(of: handle, as: EventLoop.self) else { return stopWatching(handle) }
  loop.deadlineReached()
}
