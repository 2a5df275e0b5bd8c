// Which loop a thread runs.
extension EventLoop {
  /// The loop that the calling thread runs, in a host's run, too, while that calls
  /// back. When it runs none, the one made last while it ran none; nil once that is
  /// closed, until another one is made or run.
  public static var current: EventLoop? { CurrentLoop.value }

  /// Makes this the thread's current loop, unless the thread runs another.
  func becomeCurrentIfNoneRuns() {
    if CurrentLoop.value?.isRunning != true { CurrentLoop.value = self }
  }

  /// Makes `previous` the thread's current loop again, or else this one.
  func makeCurrentAgain(_ previous: EventLoop?) {
    // One that was closed meanwhile took itself off already, and may be gone.
    guard let previous, previous.state != .closed else { return stayCurrent() }
    CurrentLoop.value = previous
  }

  /// Calls `body`, which performs: this is the thread's current loop meanwhile.
  func asCurrent<Result, Failure>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let previous = CurrentLoop.value
    guard previous !== self else { return try body() }
    CurrentLoop.value = self
    defer { makeCurrentAgain(previous) }
    return try body()
  }

  /// Calls `body` for libuv: this is the thread's current loop meanwhile.
  @inline(__always)
  func calledBack(_ body: () -> Void) {
    if _fastPath(state != .idle) { body() } else { calledBackByHost(body) }
  }

  @inline(never)
  private func calledBackByHost(_ body: () -> Void) {
    let (previous, wasCalledBack) = (CurrentLoop.value, isCalledBack)
    if previous !== self { CurrentLoop.value = self }
    isCalledBack = true
    body()
    isCalledBack = wasCalledBack
    if state == .closed, !wasCalledBack { core.loopDidLeaveThread() }
    if previous !== self { makeCurrentAgain(previous) }
  }

  private func stayCurrent() { if state != .closed { CurrentLoop.value = self } }

  private var isRunning: Bool {
    switch state {
    case .idle: isCalledBack
    case .running, .leaving, .closing: true
    case .closed: false
    }
  }
}
