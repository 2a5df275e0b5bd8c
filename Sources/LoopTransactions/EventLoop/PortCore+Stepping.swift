// Stepped loops, whose operations and whose test may run on several threads.
extension PortCore {
  /// Runs a stepped operation on the loop's thread as if on another thread: it
  /// must use the loop's port.
  package func leavingThread(_ operation: () -> Void) {
    leaveThread()
    virtualTime?.setOperationThread(threadIdentity())
    operation()
    virtualTime?.setOperationThread(0)
    enterThread()
  }

  /// Makes ticks while `isPending` returns true, if the caller is a stepped
  /// operation on the loop's thread. No other thread could answer its call.
  func tick(while isPending: () -> Bool) {
    guard let time = virtualTime, time.operationThread == threadIdentity() else { return }
    guard let loop = loopOnThread, loop.state == .idle else { return }
    time.setOperationThread(0)
    enterThread()
    while isPending() { loop.step() }
    leaveThread()
    time.setOperationThread(threadIdentity())
  }

  /// Moves a stepped loop to the calling thread if its test continues there.
  package func followTask(_ operation: StaticString) {
    if !isOnThread { _ = didFollowTask(operation) }
  }

  /// Moves a stepped loop to the calling thread if its test continues there.
  /// Returns whether it did.
  ///
  /// An async test changes threads when it awaits. So does a test on the main
  /// actor, because on Linux an asynchronous `main` leaves the first thread.
  @inline(never)
  func didFollowTask(_ operation: StaticString) -> Bool {
    guard thread != 0, let time = virtualTime, time.mayFollow else { return false }
    enterThread()
    if time.firstMove == nil, let loop = loopOnThread { keep(loop) }
    time.didMove(operation)
    return true
  }
}

/// The stepped loops that moved to another thread. Kept until the process ends,
/// because a loop may still be the current loop of a thread that it left.
private let movedLoops = Locked<[UnsafeMutableRawPointer]>([])

private func keep(_ loop: EventLoop) {
  let address = Unmanaged.passRetained(loop).toOpaque()
  movedLoops.withLock { $0.append(address) }
}
