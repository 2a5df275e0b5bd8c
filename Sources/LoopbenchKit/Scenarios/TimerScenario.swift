private import CLoopbench
import LoopTransactions

extension Scenario {
  /// The lateness of a timer.
  package static let timer = Scenario(
    name: "timer",
    summary: "how late a timer fires: due time to callback, 2 ms absolute schedule, random phase",
    series: [
      Series(
        name: "lateness",
        summary: "from the due time to the callback's first instruction",
        workload: Workload(warmUps: 2, samples: 36, operations: 1)
      )
    ] + TimerLoad.pending.map(arming) + TimerLoad.precise.map(arming),
    references: ["uv", "heap"],
    details: """
      A timer is due every 2 ms, on a schedule that is fixed beforehand. A sample is the lateness of
      its callback: from the due time, not from when the loop noticed.

        schedule   due 1 ───────────── due 2 ───────────── due 3
        callback      └ fires 1             └ fires 2
        lateness   ├──┤                ├────┤

      A timer must not fire early: an early fire is counted and reported as a warning. libuv's own
      timers count whole milliseconds, which shows in the results of `uv`.

      In `pending`, timers wait that are due in a minute or later. The loop's thread arms one more
      timer, due between them, and cancels it, 1000 times. A tick at the end of each sample releases
      the cancelled timers. A timer of `lt` is a new object with a closure. `uv` starts and stops one
      handle.

        loop       arm, cancel │ arm, cancel │ …  arm, cancel │ tick
        pending    ├────────────────────────────────────────────────┤  divided by 1000

      In `precise`, precise timers wait. The loop's thread arms 1000 more and makes a tick. The timers
      are cancelled after that, outside the time.

        loop       arm 1, 2, 3 … 1000 │ tick │ cancel 1, 2, 3 … 1000
        precise    ├─────────────────────────┤  divided by 1000
      """
  )

  private static func arming(_ load: (name: String, timers: Int)) -> Series {
    let isPrecise = load.name.hasPrefix("precise")
    let work = isPrecise ? "arm a precise timer" : "arm and cancel a timer"
    return Series(
      name: load.name,
      summary: "\(work) beside \(load.timers) pending ones: ns per \(isPrecise ? "timer" : "pair")",
      workload: Workload(warmUps: 3, samples: 30, operations: 1000),
      isStandard: false
    )
  }
}

/// The schedules that every `timer` peer follows, and its pending timers.
public enum TimerLoad {
  /// The time between two due times, in ns.
  public static let interval: UInt64 = 2_000_000
  private static let schedules = 4

  /// The series with pending timers, and their numbers.
  static let pending = [
    (name: "pending.1k", timers: 1000), (name: "pending.100k", timers: 100_000),
  ]

  /// The series with pending precise timers, and their numbers.
  static let precise = [
    (name: "precise.1k", timers: 1000), (name: "precise.100k", timers: 100_000),
  ]

  /// The number of timers that are pending while `slice` is measured; `nil` for the other
  /// series.
  public static func pendingTimers(of slice: Slice) -> Int? {
    slice.series.hasPrefix("pending.") ? Size(of: slice.series)?.count : nil
  }

  /// The same for precise timers.
  static func preciseTimers(of slice: Slice) -> Int? {
    slice.series.hasPrefix("precise.") ? Size(of: slice.series)?.count : nil
  }

  /// The delays in ms of that many pending timers, which differ and are in no order. A
  /// timer that is armed and cancelled has one of these delays, too.
  public static func delays(of timers: Int) -> [UInt64] {
    (0..<timers).map { cl_pending_delay(UInt32($0), UInt32(timers)) }
  }

  /// Measures a slice: several schedules, each with a different random phase.
  ///
  /// - Parameter run: Follows one schedule. Returns the lateness of each fire in
  ///   ns, including the fires of the warm-up, which come first.
  public static func measure(
    _ slice: inout Slice,
    run: (_ first: UInt64, _ count: Int) throws(PeerError) -> [Int64]
  ) throws(PeerError) {
    let warmUps = slice.workload.warmUps
    for _ in 0..<schedules {
      let first = cl_now() + interval + slice.generator.number(below: interval)
      let fires = try run(first, warmUps + max(1, slice.workload.samples / schedules))
      for (index, lateness) in fires.enumerated().dropFirst(warmUps) {
        let due = first + UInt64(index) * interval
        slice.record(lateness: lateness)
        slice.note("due, not fired yet", on: .loop, from: due, to: due + UInt64(max(0, lateness)))
      }
    }
  }
}

/// The lateness of each fire of one schedule. Use on one thread at a time.
final class TimerFires: @unchecked Sendable {
  // @unchecked: a timer calls one handler at a time, and `lateness` is read
  // after the last call has ended.
  private(set) var lateness: [Int64] = []
  private let count: Int

  init(count: Int) {
    self.count = count
    lateness.reserveCapacity(count)
  }

  var isComplete: Bool { lateness.count == count }

  /// Records one call that covers `periods` due times. The last of these is
  /// `lastDue`.
  func record(lastDue: UInt64, periods: Int, at now: UInt64) {
    for earlier in stride(from: periods - 1, through: 0, by: -1) where !isComplete {
      let due = lastDue - UInt64(earlier) * TimerLoad.interval
      lateness.append(Int64(now) - Int64(due))
    }
  }
}

/// `timer` in C on libuv.
struct UVTimer: Peer {
  let name = "uv"
  let scenario = "timer"
  let series = ["lateness"] + TimerLoad.pending.map(\.name)
  let isReference = true
  let summary = "C on libuv: uv_timer, which counts whole milliseconds, rounded up"

  func measure(_ slice: inout Slice) throws(PeerError) {
    if let count = TimerLoad.pendingTimers(of: slice) {
      guard let timers = cl_uv_pending_open(UInt32(count)) else { throw .noLoop }
      defer { cl_uv_pending_close(timers) }
      return slice.sample { cl_uv_pending_cycle(timers, UInt32($0)) }
    }
    try TimerLoad.measure(&slice) { (first, count) throws(PeerError) in
      var lateness = [Int64](repeating: 0, count: count)
      let fired = cl_uv_timer_run(first, TimerLoad.interval, &lateness, UInt32(count))
      guard fired == Int32(count) else { throw .noLoop }
      return lateness
    }
  }
}

/// `timer` with a precise timer of an `EventLoop`.
struct LTTimer: FullPeer {
  let name = "lt"
  let scenario = "timer"
  let summary = "EventLoop.addPreciseTimer, which keeps nanoseconds; addTimer for pending"

  func measure(_ slice: inout Slice) throws(PeerError) {
    try EventLoop.measuring { (loop) throws(PeerError) in
      if let count = TimerLoad.pendingTimers(of: slice) {
        return arm(on: loop, beside: count, &slice)
      }
      if let count = TimerLoad.preciseTimers(of: slice) {
        return try PreciseTimers.measure(on: loop, beside: count, &slice)
      }
      let ticks = LoopTicks(of: loop, for: slice)
      let interval = Duration.nanoseconds(TimerLoad.interval)
      try TimerLoad.measure(&slice) { (first, count) throws(PeerError) in
        let fires = TimerFires(count: count)
        do {
          let timer = try loop.addPreciseTimer(at: .init(nanoseconds: first), every: interval) {
            let now = cl_now()
            // A period that passed without a call is as late as the call that
            // covers it. The peer on libuv is called for each period, too.
            fires.record(lastDue: $0.deadline.nanoseconds, periods: $0.missed + 1, at: now)
            if fires.isComplete { loop.stop() }
          }
          loop.run()
          timer.cancel()
        } catch {
          throw PeerError("\(error)")
        }
        return fires.lateness
      }
      ticks.note(in: &slice)
    }
  }

  private func arm(on loop: EventLoop, beside count: Int, _ slice: inout Slice) {
    let delays = TimerLoad.delays(of: count)
    let pending = delays.map { loop.addTimer(after: .milliseconds($0)) { _ in } }
    slice.sample { pairs in
      let began = cl_now()
      for delay in delays.prefix(pairs) {
        loop.addTimer(after: .milliseconds(delay)) { _ in }.cancel()
      }
      loop.run(.noWait)
      return cl_now() - began
    }
    for timer in pending { timer.cancel() }
  }
}
