/// The time that a thread used up to one moment, in nanoseconds since it began.
package struct ThreadUsage: Equatable, Sendable {
  package var time: UInt64
  /// Time on a CPU.
  package var running: UInt64 = 0
  /// Time for which the thread could run but had no CPU.
  package var waiting: UInt64 = 0
  /// Time for which its control group had used up its quota; nil if it was not read.
  package var throttled: UInt64?
  /// Time that the hypervisor took from the machine's CPUs, divided by their number; nil
  /// if it was not read.
  package var stolen: UInt64?

  package init(time: UInt64) { self.time = time }

  /// The growth of a counter since an earlier reading; 0 if it is not known. The counters
  /// of a group and of the machine began long before the thread.
  fileprivate func growth(
    of counter: KeyPath<ThreadUsage, UInt64?>,
    since before: ThreadUsage
  ) -> UInt64 {
    guard let old = before[keyPath: counter], let new = self[keyPath: counter] else { return 0 }
    return new.since(old)
  }
}

/// The state of a thread at one moment.
package struct Observation: Equatable, Sendable {
  package enum State: Equatable, Sendable {
    /// Runs or waits for a CPU.
    case runnable
    /// Sleeps in a system call, or waits for a page.
    case blocked
    /// A signal or a debugger stopped it.
    case stopped
  }

  package var time: UInt64
  package var state: State
  /// True if a debugger or this watch stopped it, and not a signal.
  package var isTraced: Bool
  /// The reason of a blocked thread, in words.
  package var reason: String?
  /// The place of a wait for another thread.
  package var lockPlace: [UInt64]?

  package init(time: UInt64, state: State, isTraced: Bool = false, reason: String? = nil) {
    (self.time, self.state, self.isTraced, self.reason) = (time, state, isTraced, reason)
  }
}

/// The causes of a hold.
package enum Cause: String, CaseIterable, Sendable {
  case running
  case waiting = "waiting for CPU"
  case throttled
  case stolen
  case blocked
  case stopped
  case unexplained
}

/// A hold, divided by cause. The parts sum to the hold. In nanoseconds.
package struct HoldParts: Equatable, Sendable {
  private var times: [Cause: UInt64] = [:]

  package subscript(_ cause: Cause) -> UInt64 {
    get { times[cause] ?? 0 }
    set { times[cause] = newValue }
  }

  package var total: UInt64 { times.values.reduce(0, +) }

  /// The cause with the longest part.
  package var main: Cause {
    Cause.allCases.max { self[$0] < self[$1] } ?? .unexplained
  }

  package init() {}
}

extension HoldParts {
  /// Divides a hold of `length` between two readings of the thread's usage, which lie
  /// just outside of it.
  ///
  /// - Parameters:
  ///   - outside: The time between the readings that the thread spent in other ticks.
  ///   - observations: Moments within the hold. They tell time that was blocked from
  ///     time that the system does not account for.
  package init(
    length: UInt64,
    from before: ThreadUsage,
    to after: ThreadUsage,
    outside: UInt64,
    observations: [Observation]
  ) {
    var rest = Remainder(length)
    let used = after.running.since(before.running)
    self[.running] = rest.take(used - min(outside, used))
    let queued = rest.take(after.waiting.since(before.waiting))
    self[.throttled] = min(queued, after.growth(of: \.throttled, since: before))
    self[.waiting] = queued - self[.throttled]
    divideSleep(&rest, of: length, observations)
    self[.stolen] = rest.take(after.growth(of: \.stolen, since: before))
    self[.unexplained] = rest.time
  }

  private mutating func divideSleep(
    _ rest: inout Remainder,
    of length: UInt64,
    _ observations: [Observation]
  ) {
    let asleep = observations.filter { $0.state != .runnable }
    guard !asleep.isEmpty else { return }
    let stopped = asleep.count { $0.state == .stopped }
    // 1 more, because the thread slept until the next observation at most. The rest of the
    // time was not seen asleep.
    let time = rest.take(length / UInt64(observations.count) * UInt64(asleep.count + 1))
    self[.stopped] = time * UInt64(stopped) / UInt64(asleep.count)
    self[.blocked] = time - self[.stopped]
  }

  /// The time of a hold that has no cause yet.
  private struct Remainder {
    private(set) var time: UInt64

    init(_ time: UInt64) { self.time = time }

    /// Takes up to `wanted`, and returns the time taken.
    mutating func take(_ wanted: UInt64) -> UInt64 {
      let taken = min(wanted, time)
      time -= taken
      return taken
    }
  }
}

extension UInt64 {
  /// The difference, or 0 if a counter went backwards.
  package func since(_ earlier: UInt64) -> UInt64 { self > earlier ? self - earlier : 0 }
}
