internal import LoopTransactions
private import Synchronization

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// The pipe by which a waiter's thread is told what to do.
///
/// Any thread may ask for a check; the rest is between the loop's and the waiter's.
final class WaiterCommands: Sendable {
  enum Command: Equatable {
    /// Wait for the descriptor, until a time at the latest.
    case wait(until: Int64)
    /// Look after what has been pushed.
    case check
    case end
  }

  /// What becomes readable with a command.
  let descriptor: Int32
  private let writing: Int32
  // Whether the thread will look after what is pushed by now.
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
    // A pipe takes 8 bytes whole. It is never full: who waits is told once, or sooner,
    // and one check is on its way at most.
    while write(writing, &word, 8) != 8 {
      precondition(errno == EINTR, "SDLHost: its pipe takes what is written, got errno \(errno)")
    }
  }

  /// Has the thread look whether what was just pushed is lost. A command once in each
  /// while in which something is pushed: it would switch threads each time.
  func check() {
    // Acquiring and releasing: the push comes before this, and the thread's look after
    // its own exchange, so either that sees the event, or this sends.
    if !isChecking.exchange(true, ordering: .acquiringAndReleasing) { send(.check) }
  }

  /// Takes what is asked for so far; whether something was. By the thread, which then
  /// looks.
  func takeCheck() -> Bool {
    // Acquiring and releasing: pairs with `check()`.
    isChecking.exchange(false, ordering: .acquiringAndReleasing)
  }

  /// Says that the thread looks anew, without being asked. By the thread.
  func keepsChecking() {
    // Relaxed: who reads it has pushed before, and the look is to come.
    isChecking.store(true, ordering: .relaxed)
  }

  /// The next command, which is waited for.
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
  // Times are not negative.
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
  /// Empty: reflection traps at an atomic.
  var customMirror: Mirror { Mirror(self, children: [:]) }
}
