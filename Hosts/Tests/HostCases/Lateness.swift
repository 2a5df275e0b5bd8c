public import LoopTransactions

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// The ways in which a loop is never idle, and no load for comparison.
public enum Load: String, CaseIterable, Sendable {
  /// The host's own events only.
  case none
  /// One transaction commits itself.
  case committing
  /// 2,000 transactions commit themselves and take 10 us each, so each turn spends the
  /// whole budget.
  case backlog
  /// Another thread posts without a pause.
  case posting

  fileprivate func begin(on loop: EventLoop, until end: LoopClock.Instant) {
    switch self {
    case .none: break
    case .committing: commit(1, .zero, on: loop, until: end)
    case .backlog: commit(2000, .microseconds(10), on: loop, until: end)
    case .posting: flood(loop, until: end)
    }
  }

  private func commit(
    _ count: Int,
    _ work: Duration,
    on loop: EventLoop,
    until end: LoopClock.Instant
  ) {
    for _ in 0..<count { loop.commit(Repeating(work, until: end), Repeating.perform) }
  }

  private func flood(_ loop: EventLoop, until end: LoopClock.Instant) {
    // Otherwise the posts of a whole measurement could wait in memory.
    loop.postCapacity = 100_000
    let port = loop.port
    Thread.start {
      while LoopClock.now < end {
        do { try port.post {} } catch LoopPort.PostError.full {} catch { return }
        sched_yield()
      }
    }
  }
}

/// Measures how late the host's own events are beside a load.
///
/// The program's second argument, or its third if the second is no number, is the
/// duration of each measurement in seconds. The default is 5.
public final class Lateness: Sendable {
  private let load: Load
  private let times = Times()
  private let end: LoopClock.Instant

  /// Starts a measurement. The program ends if it lasts a minute longer than intended.
  public init(_ load: Load) {
    let seconds = CommandLine.arguments.dropFirst(2).lazy.compactMap(Double.init).first ?? 5
    self.load = load
    end = LoopClock.now.advanced(by: .seconds(seconds))
    alarm(60 + UInt32(seconds))
  }

  /// Loads a loop until the end of the measurement. Call on the loop.
  public func begin(on loop: EventLoop) { load.begin(on: loop, until: end) }

  /// Notes an event that was due at `due`. Returns whether the host must make another one.
  public func note(_ due: LoopClock.Instant) -> Bool {
    times.add(from: due)
    return LoopClock.now < end
  }

  /// Prints the number of events and their lateness in microseconds.
  public func report() {
    print("\(load)-events \(times.count)")
    print("\(load)-p50 \(times.median)")
    print("\(load)-p99 \(times.p99)")
    print("\(load)-max \(times.max)")
  }

  /// Prints the budget of a loop in microseconds.
  public static func reportBudget() {
    print("budget \(EventLoop.Budget().time / .microseconds(1))")
  }
}

/// Calls `body` every millisecond on a thread of its own, with the time of the call,
/// until it returns false.
public func pushEveryMillisecond(_ body: @escaping @Sendable (LoopClock.Instant) -> Bool) {
  Thread.start { while body(LoopClock.now) { usleep(1000) } }
}

extension Cases {
  /// Measures how late the host's own events are beside each load of the loop.
  func lateness() throws {
    Lateness.reportBudget()
    for load in Load.allCases {
      let loop = try EventLoop()
      let end = try host.serve(loop)
      let (lateness, stop) = (Lateness(load), Stop(host))
      lateness.begin(on: loop)
      host.everyMillisecond { due in
        let isOver = !lateness.note(due)
        if isOver { stop.now() }
        return !isOver
      }
      host.run()
      end()
      try loop.close()
      lateness.report()
    }
  }
}

/// A transaction that commits itself until a time, and takes some time.
private final class Repeating {
  static let perform = Selector<Repeating>("perform") { $0.run() }
  private let work: Duration
  private let end: LoopClock.Instant

  init(_ work: Duration, until end: LoopClock.Instant) {
    self.work = work
    self.end = end
  }

  private func run() {
    let start = LoopClock.now
    while start.duration(to: LoopClock.now) < work {}
    if start < end { EventLoop.current?.commit(self, Self.perform) }
  }
}
