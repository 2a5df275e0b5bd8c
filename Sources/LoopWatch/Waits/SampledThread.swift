/// How a thread has run so far.
package struct TimeSlices: Equatable, Sendable {
  /// Time on a CPU, in ns. While the thread runs, the kernel counts it every few ms.
  package var running: UInt64
  /// Time waiting for a CPU, in ns.
  package var waiting: UInt64
  /// How often it was given a CPU.
  package var count: UInt64

  /// The time for which it did not sleep.
  var awake: UInt64 { running + waiting }

  package init(running: UInt64 = 0, waiting: UInt64 = 0, count: UInt64 = 0) {
    (self.running, self.waiting, self.count) = (running, waiting, count)
  }
}

/// The state of a thread when it was sampled.
package enum SampledState: Equatable, Sendable {
  /// Runs, or waits for a CPU.
  case running
  /// Sleeps in a wait for events.
  case waiting(WaitSource)
  /// Sleeps for another reason.
  case blocked

  fileprivate var isWaiting: Bool { if case .waiting = self { true } else { false } }
}

/// The begin of a wait, at a breakpoint.
package struct WaitEntry: Equatable, Sendable {
  package var time: UInt64
  package var source: WaitSource

  package init(time: UInt64, source: WaitSource) { (self.time, self.source) = (time, source) }
}

/// The waits of one thread, found by samples and breakpoints.
///
/// A wait begins and ends between two samples. The time that the thread was awake between
/// them tells when: a thread that slept in a wait and was then awake for 1.3 ms left the
/// wait at least 1.3 ms ago.
package struct SampledThread {
  private(set) var state = SampledState.running
  private(set) var slices = TimeSlices()
  private var sampledAt: UInt64 = 0
  private var waits: [Wait] = []
  private var number: UInt64 = 0
  /// The source of the current wait, and its begin.
  private var source: WaitSource?
  private var began: UInt64 = 0
  /// The begin of the tick before it, if the time awake tells.
  private var tickBegan: UInt64?
  /// True if no sample has seen the current wait, so the thread may not have slept in it.
  private var isUnseen = false
  /// True if the thread slept for most of the time before it was last seen waiting.
  private var isQuiet = false
  /// The tick since the last wait; nil before the first one.
  private var tick: Tick?

  private struct Tick {
    let began: UInt64
    /// The begin may be wrong by this time.
    let error: UInt64
    /// At the last sample before the tick.
    let slices: TimeSlices
    /// True if the thread has been awake in the whole tick, and its time awake is known.
    var isMeasured: Bool
    /// The times between which it began, if the thread slept for most of the time before. A
    /// short tick may have been seen just before it.
    let window: ClosedRange<UInt64>?
  }

  /// The longest time between two samples on time, in ns.
  private static let longestTime: UInt64 = 6_000_000

  package init() {}

  /// Adds a sample: the state of the thread, how it has run, and the waits that began at a
  /// breakpoint since the last sample.
  package mutating func advance(
    to next: SampledState,
    slices: TimeSlices,
    entries: [WaitEntry] = [],
    at now: UInt64
  ) {
    if sampledAt == 0 { (sampledAt, self.slices) = (now, slices) }
    let used = slices.awake.since(self.slices.awake)
    // More than the time since the last sample was counted late.
    let awake = used > now - sampledAt ? 0 : used
    let switches = slices.count.since(self.slices.count)
    let lastEntry = next.isWaiting ? entries.last : nil
    let exact = lastEntry.flatMap { tickBegin(awakeUntil: $0.time, slices) }
    for (index, entry) in entries.enumerated() {
      enter(entry, hasSlept: switches > 0)
      if index == 0 { tickBegan = exact }
    }
    if case .waiting(let new) = next {
      isQuiet = awake <= (now - sampledAt) / 4
      see(new, slices, awake: awake, switches: switches, at: now)
    } else if let source {
      // The time of a thread that runs is counted every few ms: it is right or near 0.
      let isKnown = next == .running && awake > (now - sampledAt) / 4
      let ended = isKnown ? now - awake : end(awake: awake, hasSlept: switches > 0, by: now)
      let isMeasured = !isUnseen && next == .running
      finishWait(source, at: max(ended, began))
      let error = (now - sampledAt) / 2
      tick = Tick(
        began: ended,
        error: error,
        slices: self.slices,
        isMeasured: isMeasured,
        window: isQuiet ? sampledAt...now + (now - sampledAt) : nil
      )
    } else if next == .blocked {
      tick?.isMeasured = false
    }
    (state, self.slices, sampledAt) = (next, slices, now)
  }

  /// Adds a sample of a thread that waits.
  private mutating func see(
    _ new: WaitSource,
    _ slices: TimeSlices,
    awake: UInt64,
    switches: UInt64,
    at now: UInt64
  ) {
    guard let old = source else { return begin(new, at: endOfTick(slices, awake, by: now)) }
    defer { isUnseen = false }
    guard old != new || switches > 0 && !isUnseen else { return }
    // At least one tick passed. Of several, the mean length is known, unless they did not
    // sleep. Then there may be any number of them.
    let isLate = now - sampledAt > Self.longestTime
    let length = old != new ? awake : isLate ? 0 : awake / max(switches, 1)
    let ended = end(awake: length, hasSlept: true, by: now)
    finishWait(old, at: ended)
    begin(new, at: min(ended + length, now))
  }

  /// Adds a wait that began at a breakpoint.
  private mutating func enter(_ entry: WaitEntry, hasSlept: Bool) {
    if let source {
      finishWait(source, at: end(awake: 0, hasSlept: hasSlept, by: entry.time))
    }
    begin(entry.source, at: entry.time)
    isUnseen = true
  }

  /// The begin of the tick, if the thread has been awake from then to `time`, at the last
  /// breakpoint, and sleeps since then. The ticks between breakpoints are part of that time.
  private func tickBegin(awakeUntil time: UInt64, _ slices: TimeSlices) -> UInt64? {
    guard source == nil, let tick, tick.isMeasured, let window = tick.window else { return nil }
    let began = time.since(slices.awake.since(tick.slices.awake))
    // Otherwise the thread also slept in the tick.
    return window.contains(began) ? began : nil
  }

  /// The time at which the current wait ended, if the thread was awake for `awake` until
  /// `time`.
  private func end(awake: UInt64, hasSlept: Bool, by time: UInt64) -> UInt64 {
    guard hasSlept || !isUnseen else { return began }
    return middle(max(began, isUnseen ? 0 : sampledAt), time - min(awake, time))
  }

  /// The time at which the tick ended in a wait.
  private func endOfTick(_ slices: TimeSlices, _ awake: UInt64, by now: UInt64) -> UInt64 {
    // A thread that slept at the last sample has been awake since.
    let earliest = state == .blocked ? sampledAt + awake : sampledAt
    guard let tick, tick.isMeasured else { return middle(earliest, now) }
    let measured = tick.began + slices.awake.since(tick.slices.awake)
    // Otherwise the thread also slept, without a sample of it.
    guard measured + tick.error >= earliest else { return middle(earliest, now) }
    return min(max(measured, earliest), now)
  }

  private func middle(_ one: UInt64, _ other: UInt64) -> UInt64 { one + other.since(one) / 2 }

  private mutating func begin(_ source: WaitSource, at time: UInt64) {
    (self.source, began, tickBegan, tick, isUnseen) = (source, time, nil, nil, false)
  }

  private mutating func finishWait(_ source: WaitSource, at time: UInt64) {
    waits.append(wait(for: source, ended: time))
    number += 1
    self.source = nil
  }

  private func wait(for source: WaitSource, ended: UInt64?) -> Wait {
    var wait = Wait(number: number, began: began, ended: ended, source: source)
    wait.tickBegan = tickBegan
    return wait
  }

  /// Nil if the thread does not wait.
  var currentWaitBegan: UInt64? { source == nil ? nil : began }

  /// Returns the waits since the last call, and the one that has not ended.
  package mutating func takeWaits() -> [Wait] {
    defer { waits = [] }
    guard let source else { return waits }
    return waits + [wait(for: source, ended: nil)]
  }
}
