// The functions that libuv calls for a loop. At file scope: a closure of main-actor
// code would trap on another thread.

func tickWaits(_ handle: PrepareHandle?) {
  withLoop(of: handle) { $0.beforeWaiting() }
}

func tickWaited(_ handle: CheckHandle?) {
  withLoop(of: handle) { $0.afterWaiting() }
}

/// Calls `body` with the handle's loop, held until it returns.
@inline(__always)
private func withLoop<Raw>(
  of handle: UnsafeMutablePointer<Raw>?,
  _ body: (EventLoop) -> Void
) {
  guard let loop = unmanagedOwner(of: handle, as: EventLoop.self) else { return }
  // A loop of its own is held by the run that this is part of, and that spares
  // 10 ns a tick; an adopted one may be closed and dropped by what it calls.
  if _fastPath(loop._withUnsafeGuaranteedRef { $0.ownsLoop }) {
    return loop._withUnsafeGuaranteedRef { body($0) }
  }
  callAdopted(loop, body)
}

// Not inlined: what is left of each callback is little, and fast.
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
  // Without an owner, the loop was released while open, or a child closed it: nobody reads what
  // was written.
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
  // Without one, a child closed what it inherited, and runs a loop of its own. I15.
  guard let timer = owner(of: handle, as: LoopTimer.self) else { return stopWatching(handle) }
  timer.timerFired()
}
