/// The measurements of one tick of a loop.
///
/// A tick begins when the poll for events returns, and ends when the loop is
/// about to poll again. Passed to `EventLoop.tickHandler`.
///
/// A value: read it on any thread.
public struct TickReport: Sendable {
  // Converted when read, because most handlers read one or two properties.
  private let tick: Recorder.Tick

  init(_ tick: Recorder.Tick) { self.tick = tick }

  /// The beginning of the tick.
  ///
  /// If the poll blocked and code that this library did not call ran first, the
  /// beginning is accurate to a millisecond.
  public var start: LoopClock.Instant { instant(tick.start) }

  /// The end of the tick.
  public var end: LoopClock.Instant { instant(tick.end) }

  /// The time that the loop waited for events before the tick.
  public var slept: Duration { duration(of: tick.start &- tick.waitStart) }

  /// The time by which the tick was later than its cause, as in
  /// `LoopLatencies.wakeLateness`. Nil if no cause has a known time.
  public var lateness: Duration? { tick.lateness.map(Self.duration) }

  /// How often a flush carried work over to the next tick.
  public var carriedOver: Int { Int(tick.counts.carriedOver) }

  /// The longest piece of work, and its duration. Nil if no time passed.
  public var longest: (work: Work, duration: Duration)? {
    tick.longest == 0 ? nil : (Work(tick.longestOwner), duration(of: tick.longest))
  }

  /// The time from the beginning to the end.
  public var duration: Duration { duration(of: tick.end &- tick.start) }

  /// The number of pieces of work of `kind`.
  public func count(of kind: Work.Kind) -> Int { tick.counts[kind] }

  /// The number of pieces of work of all kinds.
  public var count: Int { tick.pieceCount }

  private func instant(_ reading: UInt64) -> LoopClock.Instant {
    LoopClock.Instant(nanoseconds: tick.rate.nanoseconds(at: reading))
  }

  private func duration(of units: UInt64) -> Duration {
    Self.duration(tick.rate.nanoseconds(of: units))
  }

  private static func duration(_ nanoseconds: UInt64) -> Duration {
    .nanoseconds(Int64(clamping: nanoseconds))
  }
}

extension TickReport: CustomStringConvertible {
  /// One line, such as `12.1 ms, 3 posts, longest 11.8 ms in post
  /// App/Main.swift:12`.
  public var description: String {
    var parts = [duration.brief]
    for kind in Work.Kind.allCases where count(of: kind) > 0 {
      parts.append("\(count(of: kind)) \(kind)\(count(of: kind) == 1 ? "" : "s")")
    }
    if let lateness { parts.append("late by \(lateness.brief)") }
    if carriedOver > 0 { parts.append("carried over \(carriedOver)") }
    if let longest { parts.append("longest \(longest.duration.brief) in \(longest.work)") }
    return parts.joined(separator: ", ")
  }
}
