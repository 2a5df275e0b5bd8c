internal import LoopTransactions
private import Synchronization

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// The pipe that carries commands to a waiter thread.
///
/// Any thread may request a check. Only the loop's thread sends the other commands, and
/// only the waiter thread receives them.
final class WaiterCommands: Sendable {
  enum Command: Equatable {
    /// Wait until the descriptor is readable or the deadline has passed.
    case wait(until: Int64)
    /// Check that pushed events are still in SDL's queue.
    case check
    case end
  }

  /// The reading end of the pipe. It is readable while a command is in the pipe.
  let descriptor: Int32
  private let writing: Int32
  // Whether the thread will check the events that were pushed so far.
  private let isChecking = Atomic<Bool>(false)

  init() throws(UVError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw UVError(code: -errno, operation: "SDLHost.init") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (descriptor, writing) = (ends[0], ends[1])
  }

  deinit {
    close(descriptor)
    close(writing)
  }

  func send(_ command: Command) {
    var word = command.word
    // Writes of 8 bytes to a pipe are atomic. The pipe never fills: it contains at most
    // one `check`, and a new `wait` is sent only if it shortens the previous wait.
    while write(writing, &word, 8) != 8 {
      let code = -errno
      guard code != -EINTR else { continue }
      preconditionFailure("\(UVError(code: code, operation: "SDLHost: write to the waiter pipe"))")
    }
  }

  /// Makes the thread check later whether the event that was just pushed has been
  /// lost.
  ///
  /// Sends at most one command per check, because each command costs a thread switch.
  func check() {
    // Acquire and release: the push happens before this exchange, and the thread's check
    // happens after the thread's own exchange. Either that check sees the event, or this
    // function sends a command.
    if !isChecking.exchange(true, ordering: .acquiringAndReleasing) { send(.check) }
  }

  /// Clears the request for a check, and returns whether there was one. The waiter thread
  /// calls this before it checks.
  func claimCheck() -> Bool {
    // Acquire and release: pairs with `check()`.
    isChecking.exchange(false, ordering: .acquiringAndReleasing)
  }

  /// Records that the waiter thread will check again without a request.
  func keepChecking() {
    // Relaxed: a thread that reads true has already pushed its event, and the next check
    // comes later.
    isChecking.store(true, ordering: .relaxed)
  }

  /// Waits for the next command.
  func next() -> Command {
    var word = Command.end.word
    while true {
      let count = read(descriptor, &word, 8)
      if count == 8 { return Command(word: word) }
      guard count < 0, errno == EINTR else { return .end }
    }
  }
}

extension WaiterCommands.Command {
  // Deadlines are never negative.
  fileprivate var word: Int64 {
    switch self {
    case .wait(let end): end
    case .check: -1
    case .end: -2
    }
  }

  fileprivate init(word: Int64) {
    switch word {
    case -1: self = .check
    case -2: self = .end
    default: self = .wait(until: word)
    }
  }
}

extension WaiterCommands: CustomReflectable {
  /// The mirror is empty, because reflecting an atomic traps.
  var customMirror: Mirror { Mirror(self, children: [:]) }
}
