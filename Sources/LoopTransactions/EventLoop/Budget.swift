extension EventLoop {
  /// What one tick may spend on everything that flushes.
  ///
  /// Past it, what is left is carried over to the next tick, which comes without
  /// blocking, after the events that are ready were served. Every queue that has
  /// something still moves one element per tick, and every observer that has pending
  /// work is called. A tick ends with the piece of work
  /// that passes the budget; after light ones, three more of the same selector or
  /// posted function may pass it, for not every one is timed.
  ///
  /// After the time budget that Texture's users asked for and never got.
  ///
  /// A value: make and read it on any thread.
  public struct Budget: Hashable, Sendable {
    /// The time a tick may spend.
    public let time: Duration

    /// How many elements, transactions, posts and pieces of observers' work a tick may
    /// perform.
    public let count: Int

    /// A budget of `time` and, if given, of `count`.
    ///
    /// - Precondition: Both are over zero.
    public init(time: Duration = .milliseconds(4), count: Int = .max) {
      require(
        time > .zero,
        "EventLoop.Budget: time must be over zero, got \(time); use .unlimited for none"
      )
      require(
        count > 0,
        "EventLoop.Budget: count must be over zero, got \(count); leave it out for none"
      )
      self.time = time
      self.count = count
    }

    /// No limit: a tick performs all there was when it began to.
    public static let unlimited = Budget(time: .seconds(Int64.max))
  }
}

/// What is left of a tick's budget. One for all that flush in a tick. L9.
struct BudgetMeter {
  /// What a budget allows, as it is compared.
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

  // Work that follows within this many cycles of a clock reading is not timed
  // by the clock: reading the counter costs 10 ns, the clock 26. 0: always
  // read the clock.
  private let cyclesPerReading: UInt64

  // After two pieces of one kind that took less than a tenth of that each, three
  // more of that kind pass before even the counter is read: by so many a budget
  // may be overrun. The reading costs more than a light action does.
  private let lightCycles: UInt64
  private var passes = 0
  private var lastKind: UInt = 0
  private var lastCycles: UInt64 = 0

  private var spent: UInt64 = 0
  private var performed = 0
  private var start: UInt64 = 0
  private var lastReading: UInt64 = 0
  /// Whether a stretch of flushing is under way.
  private(set) var isRunning = false
  private var isOver = false
  // When the spending ends at the latest, besides the budget.
  private var latestEnd = UInt64.max

  /// Whether the budget does not apply: a whole run returns, or the loop closes.
  var isLifted = false

  /// A full meter for `budget`. A virtual clock is cheap and is always asked.
  init(_ budget: EventLoop.Budget, time: TimeSource) {
    self.time = time
    limits = Limits(budget)
    nextLimits = limits
    cyclesPerReading = time.isVirtual ? 0 : System.cyclesPerReading
    lightCycles = cyclesPerReading / 10
  }

  /// Lets ticks spend `budget`, from the first on that has spent nothing yet.
  mutating func setBudget(_ budget: EventLoop.Budget) {
    nextLimits = Limits(budget)
    if !isRunning, performed == 0, latestEnd == .max { limits = nextLimits }
  }

  /// Begins to spend, unless that has begun.
  @inline(__always)
  mutating func begin() {
    guard !isRunning else { return }
    isRunning = true
    start = time.nanoseconds
    lastReading = System.cycles
    lastCycles = lastReading
    passes = 0
  }

  /// Takes note of one piece of work that was performed.
  @inline(__always)
  mutating func didPerform() { performed &+= 1 }

  /// Whether one more piece of work may be performed, after one of `kind`; those
  /// of one kind, other than 0, are taken to be alike.
  @inline(__always)
  mutating func allowsMore(after kind: UInt = 0) -> Bool {
    if passes > 0, kind == lastKind {
      passes &-= 1
      return isWithin
    }
    let cycles = System.cycles
    let isLight = cycles &- lastCycles < lightCycles
    passes = isLight && kind != 0 && kind == lastKind ? 3 : 0
    lastKind = isLight ? kind : 0
    lastCycles = cycles
    if cycles &- lastReading < cyclesPerReading { return isWithin }
    return readClock()
  }

  /// Ends the spending of this stretch; returns how long it was.
  mutating func end() -> UInt64 {
    guard isRunning else { return 0 }
    isRunning = false
    let stretch = time.nanoseconds &- start
    spent &+= stretch
    return stretch
  }

  /// Whether anything is left of the budget.
  var hasRoom: Bool {
    if isLifted { return true }
    guard performed < limits.count, !isOver else { return false }
    let present = time.nanoseconds
    return spent &+ (isRunning ? present &- start : 0) < limits.time && present < latestEnd
  }

  /// Ends the spending at `end` at the latest, until `refill()`.
  mutating func limit(until end: UInt64) { latestEnd = end }

  /// Replaces the budget by all the time until `end`, until `refill()`.
  mutating func extend(until end: UInt64) {
    refill()
    limits = Limits(time: .max, count: .max)
    latestEnd = end
  }

  /// Fills the meter for the next tick.
  @inline(__always)
  mutating func refill() {
    limits = nextLimits
    latestEnd = .max
    spent = 0
    performed = 0
    isOver = false
  }

  @inline(__always)
  private var isWithin: Bool { isLifted || (performed < limits.count && !isOver) }

  @inline(never)
  private mutating func readClock() -> Bool {
    lastReading = System.cycles
    // Lifted, it is not asked, and a flush between two ticks has no `start`.
    guard !isLifted else { return true }
    let present = time.nanoseconds
    isOver = spent &+ (present &- start) >= limits.time || present >= latestEnd
    return isWithin
  }
}
