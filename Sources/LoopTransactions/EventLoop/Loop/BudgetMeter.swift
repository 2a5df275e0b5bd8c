/// The remaining budget of a tick, shared by everything that flushes in it, in
/// readings of the CPU's counter or of a test's virtual clock. L9.
struct BudgetMeter {
  private(set) var budget: EventLoop.Budget
  private let clock: TimeSource
  private let rate: CycleClock.Rate
  private let readsCounter: Bool
  // The time of `budget`.
  private var budgetTime: UInt64 = 0
  private var limits: (time: UInt64, count: Int) = (0, 0)
  // When spending ends at the latest, independent of the budget.
  private var latestEnd = UInt64.max
  private var spent: UInt64 = 0
  // The number of pieces that were performed, and that may be: no limit while the
  // budget is lifted, and 0 once the time is spent.
  private var performed = 0
  private var allowance = 0

  /// Whether a period of flushing is in progress.
  private(set) var isRunning = false
  /// When the period began.
  private(set) var start: UInt64 = 0
  // When its time is spent.
  private var deadline: UInt64 = 0

  // Reading the counter takes 10 ns, longer than a short piece of work. If two
  // pieces of one kind each took less than `shortTime`, the next three pieces of
  // that kind run before the counter is read again.
  private let shortTime: UInt64
  private var untimedLeft = 0
  private var lastKind: UInt = 0
  private var lastEnd: UInt64 = 0

  /// Whether the budget is ignored, because a whole run is returning or the
  /// loop is closing.
  var isLifted = false { didSet { updateAllowance() } }

  /// Creates a full meter for `budget`.
  init(_ budget: EventLoop.Budget, clock: TimeSource) {
    self.budget = budget
    self.clock = clock
    rate = clock.isVirtual ? .nanoseconds : .measured
    readsCounter = !clock.isVirtual && System.fewMicroseconds > 0
    shortTime = readsCounter ? System.fewMicroseconds / 10 : 0
    setBudget(budget)
  }

  /// Sets the budget of ticks, starting with the first tick that has not spent
  /// anything yet.
  mutating func setBudget(_ budget: EventLoop.Budget) {
    self.budget = budget
    budgetTime = rate.cycles(in: UInt64(budget.time.clampedNanoseconds))
    if !isRunning, performed == 0, latestEnd == .max { refill() }
  }

  /// Ends spending at `end` at the latest, in nanoseconds. Applies until
  /// `refill()`.
  mutating func limit(until end: UInt64) {
    let present = clock.nanoseconds
    latestEnd = now &+ (end > present ? rate.cycles(in: end - present) : 0)
    updateDeadline()
  }

  /// Replaces the budget with all the time until `end`, in nanoseconds. Applies
  /// until `refill()`.
  mutating func extend(until end: UInt64) {
    refill()
    limits = (.max >> 2, .max)
    updateAllowance()
    limit(until: end)
  }

  /// Refills the meter for the next tick.
  @inline(__always)
  mutating func refill() {
    latestEnd = .max
    spent = 0
    performed = 0
    limits = (budgetTime, budget.count)
    updateDeadline()
    updateAllowance()
  }

  private mutating func updateDeadline() {
    deadline = min(start &+ (limits.time > spent ? limits.time &- spent : 0), latestEnd)
  }

  private mutating func updateAllowance() {
    allowance = isLifted ? .max : limits.count
  }
}

extension BudgetMeter {
  /// Starts a period of spending, unless one is in progress.
  @inline(__always)
  mutating func begin() {
    guard !isRunning else { return }
    isRunning = true
    start = now
    lastEnd = start
    untimedLeft = 0
    updateDeadline()
  }

  /// Counts one performed piece of work.
  @inline(__always)
  mutating func didPerform() { performed &+= 1 }

  /// Returns whether another piece of work may be performed, after a piece of
  /// `kind`. Pieces of the same kind are assumed to cost the same, unless the
  /// kind is 0. `reading` is the time.
  @inline(__always)
  mutating func allowsMore(after kind: UInt = 0, at reading: UInt64? = nil) -> Bool {
    if untimedLeft > 0, kind == lastKind {
      untimedLeft &-= 1
      return performed < allowance
    }
    let end = reading ?? now
    let isShort = end &- lastEnd < shortTime
    untimedLeft = isShort && kind != 0 && kind == lastKind ? 3 : 0
    lastKind = isShort ? kind : 0
    lastEnd = end
    if _slowPath(end >= deadline), !isLifted { allowance = 0 }
    return performed < allowance
  }

  /// Ends the period of spending and returns its duration in nanoseconds.
  ///
  /// - Parameter reading: The time, if the caller has it.
  @inline(__always)
  mutating func end(at reading: UInt64? = nil) -> UInt64 {
    guard isRunning else { return 0 }
    // The counters of two CPUs may differ slightly, so the difference may be
    // negative.
    let length = UInt64(max(0, Int64(bitPattern: (reading ?? now) &- start)))
    isRunning = false
    spent &+= length
    return rate.nanoseconds(of: length)
  }

  /// Whether some of the budget is left.
  var hasRoom: Bool {
    guard !isLifted else { return true }
    guard performed < allowance else { return false }
    return isRunning ? now < deadline : spent < limits.time && now < latestEnd
  }

  @inline(__always)
  private var now: UInt64 { _fastPath(readsCounter) ? System.cycles : clock.nanoseconds }
}
