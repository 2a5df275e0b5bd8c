internal import CSDL
internal import LoopTransactions

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// What a waiter's thread itself knows. Of the thread alone, once it has begun.
final class WaiterThread {
  private let descriptor: Int32
  private let commands: WaiterCommands
  private let events: HostEvents
  // Whether the loop waits, and until when at the latest.
  private var isWaiting = false
  private var deadline = Int64.max
  // When to look after what was pushed, by this thread or another.
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

  /// Pushes the event that has the host make a turn, and then tell this anew.
  private func push() {
    isWaiting = false
    // Full: SDL has 65,535 events to hand out first. Told to end meanwhile, it does.
    while !events.push(.waited), !isReadable(1) {}
    checkTime = min(checkTime, nextCheck)
  }

  /// Pushes anew if something that was pushed is neither in SDL's queue nor, as far as
  /// is known here, taken out of it by the host.
  private func check() {
    checkTime = .max
    let isAsked = commands.takeCheck()
    guard isAsked || !isWaiting else { return }
    guard events.areQueued else { return push() }
    commands.keepsChecking()
    checkTime = nextCheck
  }

  private var now: Int64 { Int64(clamping: LoopClock.now.nanoseconds) }

  // Guess: 0.1 s. Longer than a frame that is drawn, shorter than a player's patience.
  private var nextCheck: Int64 { now + 100_000_000 }

  /// Waits for the loop, a command or the time of something.
  private func waitForAny() -> (commands: Bool, loop: Bool) {
    let end = min(isWaiting ? deadline : .max, checkTime)
    // Rounded up: early, there would be nothing to do.
    let left = (max(0, end - now) + 999_999) / 1_000_000
    let milliseconds = end == .max ? -1 : Int32(clamping: left)
    var entries = [
      pollfd(fd: commands.descriptor, events: Int16(POLLIN), revents: 0),
      // A negative one is left alone.
      pollfd(fd: isWaiting ? descriptor : -1, events: Int16(POLLIN), revents: 0),
    ]
    guard poll(&entries, 2, milliseconds) > 0 else { return (false, false) }
    return (entries[0].revents != 0, entries[1].revents != 0)
  }

  /// Whether there is a command, which is waited for so long.
  private func isReadable(_ milliseconds: Int32) -> Bool {
    var entry = pollfd(fd: commands.descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, milliseconds) > 0
  }
}
