/// A tick that took longer than the threshold of a `LoopWatchdog`.
///
/// A value: read it on any thread.
public struct LoopHold: Sendable {
  /// The reason for the length of a tick.
  public enum Cause: Hashable, Sendable {
    /// The thread computes.
    case computing
    /// The thread is blocked, mostly in the system call with this name, or in a
    /// `page fault`. The name is empty if the system does not report it.
    case blocked(in: String)
    /// The thread could run, but other threads or processes have the CPU, or a
    /// limit of its control group is spent.
    case notScheduled
    /// The system does not report a cause.
    case unknown
  }

  /// The name of the loop's thread, as debuggers show it.
  public let thread: String

  /// Whether the tick has ended.
  public let isOver: Bool

  /// The time since the beginning of the tick, or its whole length if it is
  /// over.
  ///
  /// The length is exact if the loop made at most one further tick before the
  /// watchdog looked, otherwise up to a millisecond too long.
  public let duration: Duration

  /// The CPU time that the thread used during the tick, as far as the watchdog
  /// saw. Zero on other systems than Linux.
  public let cpuTime: Duration

  /// The reason for the length: the one with the most time. `notScheduled` if the
  /// thread waited for a CPU for 80 % of its CPU time or more, because two threads
  /// that share a CPU get half of it each.
  public let cause: Cause

  /// The pieces of work that ran during the tick, and their shares of its time,
  /// from 0 to 1, largest first. At most eight.
  ///
  /// The watchdog looks once per millisecond, so short pieces are samples of
  /// all those that ran.
  public let works: [(work: Work, share: Double)]

  /// Whether one piece of work took at least half of the time until the
  /// watchdog's last look. If not, the tick ran many short ones.
  public let isOnePiece: Bool

  /// The call stack of the thread when the tick passed the threshold: the address
  /// that it executed, then the return addresses of its callers, innermost first.
  /// At most 128.
  ///
  /// Empty unless the watchdog captures stacks, `cause` was `computing`, and the
  /// thread could be interrupted in this very tick. `stackDescription()` names
  /// the functions.
  public let stack: [UInt]

  /// The piece of work with the largest share.
  public var work: Work { works.first?.work ?? Work(OwnerWord(.other)) }

  package init(thread: String, duration: Duration, cause: Cause) {
    self.thread = thread
    self.duration = duration
    self.cause = cause
    isOver = true
    cpuTime = .zero
    works = []
    stack = []
    isOnePiece = true
  }

  init(_ hold: HoldTracker.Hold, thread: String) {
    self.thread = thread
    isOver = hold.isOver
    duration = .nanoseconds(Int64(clamping: hold.duration))
    cpuTime = .nanoseconds(Int64(clamping: hold.cpuTime))
    cause = hold.cause
    stack = hold.stack
    isOnePiece = hold.isOnePiece
    let total = Double(max(1, hold.observedTime))
    works = hold.works.sorted { $0.value > $1.value }.prefix(8).map { word, time in
      (Work(OwnerWord(rawValue: word)), Double(time) / total)
    }
  }
}

extension LoopHold: CustomStringConvertible {
  /// One line, such as `loop 'main' is held for 120 ms by post
  /// App/Main.swift:12, computing`.
  public var description: String {
    let verb = isOver ? "was held for" : "is held for"
    let names = works.prefix(3).map { "\($0.work)" }.joined(separator: ", ")
    let pieces = isOnePiece ? "\(work)" : "many short pieces of work, such as \(names)"
    return "loop '\(thread)' \(verb) \(duration.brief) by \(pieces), \(cause)"
  }
}

extension LoopHold.Cause: CustomStringConvertible {
  /// The cause in words, such as `blocked in read`.
  public var description: String {
    switch self {
    case .computing: "computing"
    case .blocked(let call): call.isEmpty ? "blocked" : "blocked in \(call)"
    case .notScheduled: "not scheduled"
    case .unknown: "for an unknown reason"
    }
  }
}

extension LoopHold {
  /// Returns the functions of `stack` as text, one line per frame, innermost
  /// first. Empty if there is no stack.
  ///
  /// Call from any thread, but not on a loop: it blocks while a child process runs
  /// `llvm-symbolizer`, for about 0.1 s, and for at most 30 s. That program is part
  /// of the Swift toolchain and of LLVM, and is searched in `PATH`. It names every
  /// function and its line if the program has debug information, and lists inlined
  /// functions in lines of their own. Without it, only exported functions are
  /// named. The others are shown as an offset in their file, which
  /// `llvm-symbolizer --obj=FILE OFFSET` names on another machine.
  ///
  /// - Complexity: Linear in the debug information of the files.
  public func stackDescription() -> String { Symbols.lines(for: stack).joined(separator: "\n") }
}
