internal import CSDL
internal import LoopTransactions

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// The state of a waiter thread. Only that thread uses it after it has started.
final class WaiterThread {
  private let descriptor: Int32
  private let commands: WaiterCommands
  private let events: HostEvents
  // Whether the thread is waiting for the loop, and the deadline of this wait.
  private var isWaiting = false
  private var deadline = Int64.max
  // The time of the next check of the events that this or another thread has
  // pushed.
  private var checkTime = Int64.max

  init(_ descriptor: Int32, _ commands: WaiterCommands, _ events: HostEvents) {
    self.descriptor = descriptor
    self.commands = commands
    self.events = events
  }

  func run() {
    while true {
      let isReadable = waitForAny()
      if isReadable.commands {
        switch commands.next() {
        case .wait(let end): (isWaiting, deadline) = (true, end)
        case .check: checkTime = min(checkTime, nextCheck)
        case .end: return
        }
      } else if isWaiting, isReadable.loop || deadline <= now {
        push()
      } else if checkTime <= now {
        check()
      }
    }
  }

  /// Pushes the event that makes the host run a turn and send the next command.
  private func push() {
    isWaiting = false
    // The push fails while SDL's queue holds its maximum of 65,535 events. The thread
    // retries until the push succeeds or a command arrives.
    while !events.push(.waited), !isReadable(1) {}
    checkTime = min(checkTime, nextCheck)
  }

  /// Pushes the event again if it is no longer in SDL's queue although the host has
  /// not reported that it received the event.
  private func check() {
    checkTime = .max
    let isRequested = commands.claimCheck()
    guard isRequested || !isWaiting else { return }
    guard events.areQueued else { return push() }
    commands.keepChecking()
    checkTime = nextCheck
  }

  private var now: Int64 { Int64(clamping: LoopClock.now.nanoseconds) }

  // 0.1 s is longer than a frame and shorter than a delay that a player notices. Not
  // measured.
  private var nextCheck: Int64 { now + 100_000_000 }

  /// Waits for the loop's descriptor, a command, the deadline or the next check.
  private func waitForAny() -> (commands: Bool, loop: Bool) {
    let end = min(isWaiting ? deadline : .max, checkTime)
    // Rounded up, so that the thread does not wake before the deadline.
    let left = (max(0, end - now) + 999_999) / 1_000_000
    let milliseconds = end == .max ? -1 : Int32(clamping: left)
    var entries = [
      pollfd(fd: commands.descriptor, events: Int16(POLLIN), revents: 0),
      // poll() ignores negative descriptors.
      pollfd(fd: isWaiting ? descriptor : -1, events: Int16(POLLIN), revents: 0),
    ]
    guard poll(&entries, 2, milliseconds) > 0 else { return (false, false) }
    return (entries[0].revents != 0, entries[1].revents != 0)
  }

  /// Waits up to `milliseconds`, and returns whether a command is in the pipe.
  private func isReadable(_ milliseconds: Int32) -> Bool {
    var entry = pollfd(fd: commands.descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, milliseconds) > 0
  }
}
