internal import CSDL
internal import LoopTransactions

/// A thread that waits until a loop's descriptor is readable or a deadline has passed,
/// and then pushes an SDL event. It pushes one event for each call of `wait(atMost:)`.
///
/// The thread also checks that pushed events are not lost. If the program has flushed
/// an event out of SDL's queue, the thread pushes the event again. The thread shares
/// no memory with the loop's thread. It receives commands through a pipe and answers
/// with events.
final class LoopWaiter {
  private let commands: WaiterCommands
  private let thread: OpaquePointer
  // Whether the thread is waiting for the loop, and the deadline of this wait.
  private var isWaiting = false
  private var deadline = Int64.max

  /// Starts the thread. Returns nil if SDL cannot create it.
  init?(_ descriptor: Int32, _ commands: WaiterCommands, _ events: HostEvents) {
    let context = Unmanaged.passRetained(WaiterThread(descriptor, commands, events))
    guard let thread = SDL_CreateThread(runWaiter, "loop waiter", context.toOpaque()) else {
      context.release()
      return nil
    }
    self.commands = commands
    self.thread = thread
  }

  /// Makes the thread wait for the loop, at most for `timeout`. `nil` means no
  /// limit.
  ///
  /// Sends no command if the thread is waiting with an earlier deadline. A command
  /// costs a thread switch, whereas an early event merely makes the loop check again.
  func wait(atMost timeout: Duration?) {
    let end = timeout.map { Int64(clamping: LoopClock.now.advanced(by: $0).nanoseconds) } ?? .max
    if isWaiting, deadline <= end { return }
    isWaiting = true
    deadline = end
    commands.send(.wait(until: end))
  }

  /// Records that the thread has pushed its event and no longer waits.
  func hasPushed() { isWaiting = false }

  /// Ends the thread and waits for it.
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
