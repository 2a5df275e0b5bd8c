internal import CSDL
internal import LoopTransactions

/// A thread that waits for a loop's descriptor, and pushes an event when it is
/// readable or a time has come: once for each time that it is told to wait. It looks
/// after that event, and after those of others if asked: one that was flushed out of
/// SDL's queue is pushed anew.
///
/// The thread shares no memory with the loop's: it is told by a pipe, what it does
/// itself by the event.
final class LoopWaiter {
  private let commands: WaiterCommands
  private let thread: OpaquePointer
  // Whether the thread waits, and until when at the latest.
  private var isWaiting = false
  private var deadline = Int64.max

  /// Starts the thread. Nil if SDL can not.
  init?(_ descriptor: Int32, _ commands: WaiterCommands, _ events: HostEvents) {
    let context = Unmanaged.passRetained(WaiterThread(descriptor, commands, events))
    guard let thread = SDL_CreateThread(runWaiter, "loop waiter", context.toOpaque()) else {
      context.release()
      return nil
    }
    self.commands = commands
    self.thread = thread
  }

  /// Lets the thread wait, for `timeout` at most; nil: without end.
  ///
  /// One that waits already, and not longer, is left: to tell it costs a switch of
  /// threads, and the event that comes early only makes the loop's own look again.
  func wait(atMost timeout: Duration?) {
    let end = timeout.map { Int64(clamping: LoopClock.now.advanced(by: $0).nanoseconds) } ?? .max
    if isWaiting, deadline <= end { return }
    isWaiting = true
    deadline = end
    commands.send(.wait(until: end))
  }

  /// The thread has pushed its event, and waits no more.
  func hasPushed() { isWaiting = false }

  /// Ends the thread.
  func end() {
    commands.send(.end)
    SDL_WaitThread(thread, nil)
  }
}

private func runWaiter(_ context: UnsafeMutableRawPointer?) -> Int32 {
  guard let context else { return 0 }
  Unmanaged<WaiterThread>.fromOpaque(context).takeRetainedValue().run()
  return 0
}
