extension EventLoop {
  /// The limit on the work that one tick performs.
  ///
  /// When the budget is spent, the remaining work is carried over to the next
  /// tick, which does not block and serves ready events first. Even with no
  /// budget left, each queue with elements delivers one element per tick, and
  /// each observer with pending work is called. A tick ends with the piece of
  /// work that exceeds the budget. After short pieces of work, up to three more
  /// pieces of the same selector or posted function may run, because not every
  /// piece is timed.
  ///
  /// A value: create and read it on any thread.
  public struct Budget: Hashable, Sendable {
    /// The time that a tick may spend.
    public let time: Duration

    /// The number of elements, transactions, posts and pieces of observers'
    /// work that a tick may perform.
    public let count: Int

    /// Creates a budget of `time`, and of `count` if given.
    ///
    /// - Precondition: Both are greater than zero.
    public init(time: Duration = .milliseconds(4), count: Int = .max) {
      require(
        time > .zero,
        "EventLoop.Budget: time must be positive, got \(time); use .unlimited for no limit"
      )
      require(
        count > 0,
        "EventLoop.Budget: count must be positive, got \(count); omit it for no limit"
      )
      self.time = time
      self.count = count
    }

    /// No limit: a tick performs everything that was pending when it began.
    public static let unlimited = Budget(time: .seconds(Int64.max))
  }
}

/// The remaining budget of a tick, shared by everything that flushes in it. L9.
struct BudgetMeter {
  /// The limits in comparable units.
  private struct Limits {
    let time: UInt64
    let count: Int

    init(time: UInt64, count: Int) {
      self.time = time
      self.count = count
    }

    init(_ budget: EventLoop.Budget) {
      self.init(time: UInt64(clamping: budget.time.clampedNanoseconds), count: budget.count)
    }
  }

  private let time: TimeSource
  private var limits: Limits
  private var nextLimits: Limits

  // The rate of the cycle counter, and whether it is known. Durations of a few
  // microseconds are then measured by the counter alone, so a tick with little
  // work does not read the clock at all. Until then, each period reads the clock
  // when it begins and when it ends.
  private var rate = CycleClock.Rate.nanoseconds
  private var knowsRate = false
  private var firstReading: CycleClock.Reading?
  // Whether the counter's rate may become known.
  private let countsTime: Bool

  // Within this many cycles after a clock reading, the clock is not read again.
  // Reading the cycle counter costs 10 ns, and reading the clock 26 ns. If 0,
  // the clock is always read.
  private let cyclesPerReading: UInt64

  // Reading the counter costs more than a short action. If two pieces of one
  // kind each took less than a tenth of `cyclesPerReading`, the next three
  // pieces of that kind run before the counter is read again. They may exceed
  // the budget.
  private let lightCycles: UInt64
  private var passes = 0
  private var lastKind: UInt = 0
  private var lastCycles: UInt64 = 0

  // Whether nothing has changed since the meter was refilled.
  private var isFull = true
  private var spent: UInt64 = 0
  private var performed = 0
  // The number of pieces that may be performed: `limits.count`, or 0 once the
  // time is spent, or no limit while the budget is lifted.
  private var allowance: Int
  // When the period began, by the clock, unless `isStartKnown` is false, and by
  // the counter.
  private var start: UInt64 = 0
  private var isStartKnown = false
  private(set) var startCycles: UInt64 = 0
  private var lastReading: UInt64 = 0
  /// Whether a period of flushing is in progress.
  private(set) var isRunning = false
  private var isOver = false
  // The time at which spending ends at the latest, independent of the budget.
  private var latestEnd = UInt64.max

  /// Whether the budget is ignored, because a whole run is returning or the
  /// loop is closing.
  var isLifted = false { didSet { updateAllowance() } }

  /// Creates a full meter for `budget`. A virtual clock is cheap, so it is
  /// always read.
  init(_ budget: EventLoop.Budget, time: TimeSource) {
    self.time = time
    limits = Limits(budget)
    nextLimits = limits
    allowance = limits.count
    cyclesPerReading = time.isVirtual ? 0 : System.cyclesPerReading
    lightCycles = cyclesPerReading / 10
    countsTime = cyclesPerReading > 0 && System.hasInvariantCycles
    if countsTime, let measured = CycleClock.Rate.measured { use(measured) }
  }

  private mutating func use(_ rate: CycleClock.Rate) {
    self.rate = rate
    knowsRate = true
  }

  /// Sets the budget of ticks, starting with the first tick that has not spent
  /// anything yet.
  mutating func setBudget(_ budget: EventLoop.Budget) {
    nextLimits = Limits(budget)
    guard !isRunning, performed == 0, latestEnd == .max else { return isFull = false }
    limits = nextLimits
    updateAllowance()
  }

  private mutating func updateAllowance() {
    allowance = isLifted ? .max : isOver ? 0 : limits.count
  }

  /// Starts a period of spending, unless one is in progress.
  @inline(__always)
  mutating func begin() {
    guard !isRunning else { return }
    isRunning = true
    isFull = false
    isStartKnown = !knowsRate
    if isStartKnown { start = time.nanoseconds }
    startCycles = System.cycles
    lastReading = startCycles
    lastCycles = startCycles
    passes = 0
  }

  /// Counts one performed piece of work.
  @inline(__always)
  mutating func didPerform() { performed &+= 1 }

  /// Returns whether another piece of work may be performed, after a piece of
  /// `kind`. Pieces of the same kind are assumed to cost the same, unless the
  /// kind is 0. `reading` reads the counter.
  @inline(__always)
  mutating func allowsMore(
    after kind: UInt = 0,
    at reading: @autoclosure () -> UInt64 = System.cycles
  ) -> Bool {
    if passes > 0, kind == lastKind {
      passes &-= 1
      return isWithin
    }
    let cycles = reading()
    let isLight = cycles &- lastCycles < lightCycles
    passes = isLight && kind != 0 && kind == lastKind ? 3 : 0
    lastKind = isLight ? kind : 0
    lastCycles = cycles
    if cycles &- lastReading < cyclesPerReading { return isWithin }
    return readClock()
  }

  /// Ends the period of spending and returns its duration.
  ///
  /// - Parameter cycles: A reading of the counter, if there is one. Not used if
  ///   the period is measured by the clock.
  @inline(__always)
  mutating func end(at cycles: UInt64? = nil) -> UInt64 {
    guard isRunning else { return 0 }
    let stretch = stretch(until: cycles ?? System.cycles)
    isRunning = false
    spent &+= stretch
    if _slowPath(countsTime && !knowsRate) { learnRate() }
    return stretch
  }

  /// The duration of the period in progress, or 0.
  private var stretch: UInt64 { isRunning ? stretch(until: System.cycles) : 0 }

  /// The duration of the period in progress when the counter is `cycles`.
  @inline(__always)
  private func stretch(until cycles: @autoclosure () -> UInt64) -> UInt64 {
    isStartKnown ? time.nanoseconds &- start : countedTime(until: cycles())
  }

  /// The time from the beginning of the period until the counter is `cycles`.
  @inline(__always)
  private func countedTime(until cycles: UInt64) -> UInt64 {
    // The counters of two CPUs may differ slightly, so the difference may be
    // negative.
    rate.nanoseconds(of: UInt64(max(0, Int64(bitPattern: cycles &- startCycles))))
  }

  /// Computes the counter's rate from two readings that are far enough apart.
  @inline(never)
  private mutating func learnRate() {
    guard let reading = CycleClock.Reading.exact else { return }
    // If the machine was suspended between the readings, the counter and the clock
    // disagree. Readings less than a second apart make this unlikely.
    guard let firstReading, reading.nanoseconds &- firstReading.nanoseconds < 1_000_000_000 else {
      return firstReading = reading
    }
    guard let rate = CycleClock.Rate(from: firstReading, to: reading) else { return }
    rate.publish()
    use(rate)
  }

  /// Whether some of the budget is left.
  var hasRoom: Bool {
    if isLifted { return true }
    guard isWithin else { return false }
    return spent &+ stretch < limits.time && (latestEnd == .max || time.nanoseconds < latestEnd)
  }

  /// Ends spending at `end` at the latest. Applies until `refill()`.
  mutating func limit(until end: UInt64) {
    isFull = false
    latestEnd = end
  }

  /// Replaces the budget with all the time until `end`. Applies until
  /// `refill()`.
  mutating func extend(until end: UInt64) {
    refill()
    isFull = false
    limits = Limits(time: .max, count: .max)
    latestEnd = end
    updateAllowance()
  }

  /// Refills the meter for the next tick.
  @inline(__always)
  mutating func refill() {
    if isFull { return }
    isFull = !isRunning
    limits = nextLimits
    latestEnd = .max
    spent = 0
    performed = 0
    isOver = false
    updateAllowance()
  }

  @inline(__always)
  private var isWithin: Bool { performed < allowance }

  @inline(never)
  private mutating func readClock() -> Bool {
    lastReading = System.cycles
    // Without a limit the clock is not needed, and a flush between two ticks
    // has no `start`.
    guard !isLifted else { return true }
    let present = time.nanoseconds
    if !isStartKnown {
      start = present &- countedTime(until: System.cycles)
      isStartKnown = true
    }
    isOver = spent &+ (present &- start) >= limits.time || present >= latestEnd
    updateAllowance()
    return isWithin
  }
}
