// The current loop of a thread.
extension EventLoop {
  /// The loop that the calling thread is running. During a callback, this
  /// includes a loop that a host runs itself.
  ///
  /// If the thread is not running a loop, this is the last loop that the thread
  /// created while it ran no other loop. Once that loop is closed, this is nil
  /// until the thread creates or runs another loop.
  public static var current: EventLoop? { CurrentLoop.value }

  /// Makes this the thread's current loop, unless the thread is running another
  /// loop.
  func becomeCurrentIfNoneRuns() {
    if CurrentLoop.value?.isRunning != true { CurrentLoop.value = self }
  }

  /// Makes `previous` the thread's current loop again, or this loop if
  /// `previous` is nil or closed.
  func makeCurrentAgain(_ previous: EventLoop?) {
    // A loop that was closed in between has removed itself, and may have been
    // freed.
    guard let previous, previous.state != .closed else { return stayCurrent() }
    CurrentLoop.value = previous
  }

  /// Calls `body`, which performs work, with this loop as the thread's current
  /// loop.
  func asCurrent<Result, Failure>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let previous = CurrentLoop.value
    guard previous !== self else { return try body() }
    CurrentLoop.value = self
    defer { makeCurrentAgain(previous) }
    return try body()
  }

  /// Calls `body` on behalf of libuv, with this loop as the thread's current
  /// loop.
  @inline(__always)
  package func calledBack(_ body: () -> Void) {
    if _fastPath(state != .idle) { body() } else { calledBackByHost(body) }
  }

  /// The same for an event called `name` in reports.
  package func calledBack(for name: StaticString, _ body: () -> Void) {
    recorded(OwnerWord(.event, name)) { calledBack(body) }
  }

  @inline(never)
  private func calledBackByHost(_ body: () -> Void) {
    // Retained, because `body` may close an adopted loop and release it.
    let retained = Unmanaged.passRetained(self)
    defer { retained.release() }
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

/// The current loop of each thread. Not retained, because a loop removes
/// itself.
enum CurrentLoop {
  private static let slot = ThreadSlot()

  /// The calling thread's loop.
  static var value: EventLoop? {
    get {
      guard let address = slot.address else { return nil }
      let loop = address.object(as: EventLoop.self)
      // A stepped loop may have moved to another thread.
      return loop.core.isOnThread ? loop : nil
    }
    set { slot.address = newValue.map { UnsafeMutableRawPointer(addressOf: $0) } }
  }

  /// Removes `loop` if it is the calling thread's.
  static func remove(_ loop: EventLoop) {
    if slot.address == UnsafeMutableRawPointer(addressOf: loop) { slot.address = nil }
  }
}
