/// Follows the ticks of one loop by readings of its `WorkSlot`, and finds those
/// that take longer than a threshold. A value without effects, except that it
/// asks for the state of the loop's thread.
struct HoldTracker {
  /// How the loop's thread used the time up to a reading.
  struct Usage {
    /// The number of the thread.
    var thread: UInt32
    /// Its CPU time so far, in nanoseconds.
    var cpuTime: UInt64
    /// The time it was runnable without a CPU so far, in nanoseconds.
    var delay: UInt64
    /// How often it got a CPU so far. 0 if the system does not count it.
    var runs: UInt64
    /// The reason why it uses no CPU at the moment.
    var waiting: ThreadState.Waiting
  }

  /// A tick over the threshold. Times are in nanoseconds.
  struct Hold: Equatable {
    /// The number of the tick, and when it began in units of the counter.
    var number: UInt64 = 0
    var since: UInt64 = 0
    var duration: UInt64 = 0
    var isOver = false
    /// The thread that ran it. Turns of a host may change threads.
    var thread: UInt32 = 0
    var cpuTime: UInt64 = 0
    var unscheduled: UInt64 = 0
    /// The observed time without a known cause.
    var unexplained: UInt64 = 0
    var blocked: [String: UInt64] = [:]
    /// The time in which each `OwnerWord` ran.
    var works: [UInt64: UInt64] = [:]
    /// The longest time that one piece of work was seen to run.
    var longestPiece: UInt64 = 0
    /// The addresses of the stack of its thread, innermost first.
    var stack: [UInt] = []
  }

  // In nanoseconds.
  private let threshold: UInt64
  private let rate: CycleClock.Rate

  // The tick that is followed, or nil.
  private var number: UInt64?
  private var since: UInt64 = 0
  private var hold = Hold()
  private var isReported = false
  private var lastReading: UInt64 = 0
  private var lastUsage: (time: UInt64, usage: Usage)?

  /// Creates a tracker of ticks over `threshold` nanoseconds.
  init(threshold: UInt64, rate: CycleClock.Rate) {
    self.threshold = threshold
    self.rate = rate
  }

  /// Whether a tick is followed, so that the slot should be read often.
  var isFollowing: Bool { number != nil }

  /// Updates the followed tick by a reading of the slot at `now`. Returns the
  /// tick in two cases: it has just passed the threshold, or it has ended and was
  /// longer than the threshold.
  mutating func update(
    with reading: WorkSlot.Reading,
    at now: UInt64,
    _ usage: () -> Usage
  ) -> Hold? {
    if let number, reading.hold != number || reading.since == 0 {
      if let ended = end(reading, at: now, usage) { return ended }
    }
    guard reading.since != 0, now > reading.since else { return nil }
    let age = rate.nanoseconds(of: now &- reading.since)
    if number == nil {
      // Most ticks end before this. They cost no system call.
      guard age >= threshold / 8 else { return nil }
      follow(reading)
    }
    note(reading, at: now, age)
    let hasJustPassed = !isReported && age >= threshold
    if hasJustPassed || isUsageDue(now) { note(usage(), at: now) }
    hold.duration = age
    guard hasJustPassed else { return nil }
    isReported = true
    return hold
  }

  /// Ends the followed tick, because the loop stops recording. Returns the tick
  /// if it was reported.
  mutating func recordingDidEnd(at now: UInt64) -> Hold? {
    guard number != nil else { return nil }
    return end(WorkSlot.Reading(hold: 0, since: 0, ended: 0, work: 0, began: 0), at: now) { nil }
  }

  /// Adds the stack that was taken in tick `number`, unless that tick has ended.
  mutating func add(_ stack: [UInt], to number: UInt64) {
    if number == self.number { hold.stack = stack }
  }

  private mutating func follow(_ reading: WorkSlot.Reading) {
    number = reading.hold
    since = reading.since
    hold = Hold(number: reading.hold, since: reading.since)
    isReported = false
    lastReading = reading.since
    lastUsage = nil
  }

  private mutating func end(
    _ reading: WorkSlot.Reading,
    at now: UInt64,
    _ usage: () -> Usage?
  ) -> Hold? {
    // The slot holds the end of the latest tick only. It is the end of the followed
    // tick unless another tick has ended since.
    let isKnown =
      reading.since == 0
      ? reading.hold == number
      : reading.hold == (number ?? 0) + 1 && reading.ended <= reading.since
    let end = isKnown && reading.ended > since && reading.ended < now ? reading.ended : now
    number = nil
    let length = rate.nanoseconds(of: end &- since)
    // The watchdog's thread may not have run while the tick passed the threshold.
    guard isReported || (isKnown && length >= threshold) else { return nil }
    hold.duration = max(hold.duration, length)
    hold.isOver = true
    if let usage = usage() { noteLast(usage, until: end, at: now) }
    return hold
  }

  private mutating func note(_ reading: WorkSlot.Reading, at now: UInt64, _ age: UInt64) {
    let passed = now > lastReading ? rate.nanoseconds(of: now &- lastReading) : 0
    lastReading = now
    hold.works[reading.work, default: 0] += passed
    guard now > reading.began else { return }
    // A piece cannot be older than its tick.
    let piece = min(age, rate.nanoseconds(of: now &- reading.began))
    hold.longestPiece = max(hold.longestPiece, piece)
  }

  // Asking takes about 30 us. Every 4 ms are 1 % of a CPU.
  private func isUsageDue(_ now: UInt64) -> Bool {
    guard let lastUsage else { return true }
    return now > lastUsage.time && rate.nanoseconds(of: now &- lastUsage.time) >= 4_000_000
  }

  /// Divides the time since the last usage among its causes.
  private mutating func note(_ usage: Usage, at now: UInt64) {
    defer { lastUsage = (now, usage) }
    hold.thread = usage.thread
    guard let (time, last) = lastUsage, now > time, usage.thread == last.thread else { return }
    let passed = rate.nanoseconds(of: now &- time)
    let rest = noteCPU(usage.cpuTime.since(last.cpuTime), usage, last, of: passed)
    switch usage.waiting {
    case .blocked(let call): hold.blocked[call, default: 0] += rest
    // The system adds a delay when it ends, so a running one is in the rest.
    case .forCPU: hold.unscheduled += rest
    case .unknown: hold.unexplained += rest
    }
  }

  /// Divides the time from the last usage to the end of the tick. `usage` is from
  /// `now`, when the thread may run other ticks or wait for events.
  private mutating func noteLast(_ usage: Usage, until end: UInt64, at now: UInt64) {
    guard let (time, last) = lastUsage, end > time, usage.thread == last.thread else { return }
    let passed = rate.nanoseconds(of: end &- time)
    var cpuTime = usage.cpuTime.since(last.cpuTime)
    if case .blocked = last.waiting { cpuTime = cpuTime.since(rate.nanoseconds(of: now &- end)) }
    let rest = noteCPU(cpuTime, usage, last, of: passed)
    switch last.waiting {
    case .blocked(let call): hold.blocked[call, default: 0] += rest
    // A thread that did not block or wait had a CPU all the time. The system does not
    // count the time in which a hypervisor gave that CPU to another machine.
    case .forCPU where usage.runs == last.runs && usage.runs > 0: hold.unscheduled += rest
    case .forCPU, .unknown: hold.unexplained += rest
    }
  }

  /// Adds CPU time and the delay since the last usage, of the time that has `passed`.
  /// Returns the rest of it.
  private mutating func noteCPU(
    _ cpuTime: UInt64,
    _ usage: Usage,
    _ last: Usage,
    of passed: UInt64
  ) -> UInt64 {
    let cpuTime = min(passed, cpuTime)
    let delay = min(passed - cpuTime, usage.delay.since(last.delay))
    hold.cpuTime += cpuTime
    hold.unscheduled += delay
    return passed - cpuTime - delay
  }
}

extension UInt64 {
  /// How much greater the value is than `earlier`, or 0.
  fileprivate func since(_ earlier: UInt64) -> UInt64 { self > earlier ? self - earlier : 0 }
}

extension HoldTracker.Hold {
  /// The time until the last look.
  var observedTime: UInt64 { works.values.reduce(0, +) }

  var isOnePiece: Bool { longestPiece >= observedTime / 2 }

  var cause: LoopHold.Cause {
    let call = blocked.max { $0.value < $1.value }
    let blockedTime = blocked.values.reduce(0, +)
    let most = max(cpuTime, unscheduled, blockedTime)
    if unexplained >= most { return .unknown }
    if let call, blockedTime == most { return .blocked(in: call.key) }
    // Two threads that share a CPU get half of it each.
    return unscheduled * 5 >= cpuTime * 4 ? .notScheduled : .computing
  }
}
