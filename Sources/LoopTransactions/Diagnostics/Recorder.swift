/// Measures the ticks of a loop and their pieces of work, on request. Loop only.
///
/// A piece lasts from its `begin` to the next `begin` or `end`, so that one
/// reading of the counter separates two pieces. A piece that calls another one
/// is measured in two parts. I33.
///
/// The loop keeps it in memory of its own until the loop is released. So a
/// callback may stop the recording that it is part of, and no reference is
/// counted.
struct Recorder: ~Copyable {
  /// One tick. The times are in units of `clock`.
  struct Tick {
    var clock = CycleClock.Rate.nanoseconds
    var start: UInt64 = 0
    var end: UInt64 = 0
    /// When the loop began to wait. Equals `start` if it did not.
    var waitStart: UInt64 = 0
    /// In nanoseconds.
    var lateness: UInt64?
    // From the beginning until the last callback began, if there was one.
    var pollToCallback: UInt64?
    // False if the recording began during the tick.
    var isWhole = true
    var counts = SIMD16<UInt32>()
    var carriedOver: UInt64 = 0
    var longest: UInt64 = 0
    var longestOwner = OwnerWord(.other)
  }

  private(set) var slot: WorkSlot?
  /// Where a trace records this loop's work.
  var trace: LoopTraceRing?
  private let metrics: MetricsCells
  // Nil if the loop reads the system's clock.
  private let virtualTime: (() -> UInt64)?
  private var clock = CycleClock()

  // All in units of `now`.
  private var tickStart: UInt64
  private var tickEnd: UInt64
  private var pieceStart: UInt64
  // The beginning of the last piece that no other piece called.
  private var lastCallback: UInt64
  private var longest: UInt64 = 0

  // The owner of the current piece.
  private var owner = OwnerWord(.other)
  // Differs from `owner` after `leave(_:)`.
  private var measuredOwner = OwnerWord(.other)
  // The number of `enter()` that have not ended.
  private(set) var depth = 0
  private var longestOwner = OwnerWord(.other)
  private var counts = SIMD16<UInt32>()
  private var lateness: UInt64?
  private var carriedBefore: UInt64
  private(set) var isInTick = false
  private var isWhole = true
  // Whether only code of this library and pieces of work run until the tick
  // ends.
  private var isLibraryNext = false
  private var mayHaveSlept = false
  private var isStopped = false

  /// Creates a recorder for the loop whose thread calls this.
  ///
  /// - Parameters:
  ///   - virtualTime: Returns the time of a virtual clock, if the loop has one.
  ///   - isInTick: Whether a callback of the loop creates the recorder. The first
  ///     tick is then not measured from its beginning.
  init(metrics: MetricsCells, virtualTime: (() -> UInt64)?, isInTick: Bool) {
    self.metrics = metrics
    self.virtualTime = virtualTime
    slot = .claim(virtualTime == nil ? .loop : .steppedLoop, name: "loop")
    let now = virtualTime?() ?? CycleClock.cycles
    (tickStart, tickEnd, pieceStart, lastCallback) = (now, now, now, now)
    carriedBefore = metrics.carriedOver.value
    WorkSlot.addReader()
    guard isInTick else { return }
    beginTick(at: now)
    isWhole = false
  }

  deinit { if !isStopped { endPublishing() } }

  /// Stops publishing. A piece that has begun may still end.
  mutating func stop() {
    if isStopped { return }
    isStopped = true
    endTrace()
    endPublishing()
    slot = nil
  }

  private func endPublishing() {
    slot?.free()
    WorkSlot.removeReader()
  }
}

/// The memory of a loop's recorder, once the loop had one.
final class RecorderMemory {
  let recorder: UnsafeMutablePointer<Recorder>

  /// Creates memory with `recorder`.
  init(_ recorder: consuming Recorder) {
    self.recorder = .allocate(capacity: 1)
    self.recorder.initialize(to: recorder)
  }

  deinit {
    recorder.deinitialize(count: 1)
    recorder.deallocate()
  }

  /// Replaces the recorder. Pieces that have begun may still end.
  func replace(by new: consuming Recorder) { recorder.pointee = new }
}

// Pieces.
extension Recorder {
  /// Called before one or more pieces. Returns the owner of the piece that calls
  /// them, to be passed to `end(_:)`. Call `enterTick` before.
  @inline(__always)
  mutating func enter() -> OwnerWord {
    depth &+= 1
    return owner
  }

  /// Begins a piece of `owner`, and ends the previous one. Call `enter()` before
  /// the first piece.
  @inline(__always)
  mutating func begin(_ owner: OwnerWord, arrow: UInt64 = 0) {
    let now = now
    closePiece(at: now)
    if _slowPath(trace != nil) { trace?.begin(owner, depth: 2 &* depth, arrow, at: now) }
    counts[Int(owner.kind.rawValue)] &+= 1
    if depth == 1 { lastCallback = now }
    run(owner, at: now)
  }

  /// Ends the current piece. The code that follows belongs to `outer`, the piece
  /// that called the current one.
  @inline(__always)
  mutating func end(_ outer: OwnerWord) {
    // 0 if a piece began before the recording and ends in it.
    if depth > 0 { depth &-= 1 }
    if isLibraryNext, outer == OwnerWord(.other), trace == nil { return leave(outer) }
    let now = now
    if _slowPath(trace != nil) { trace?.end(depth: 2 &* depth &+ 1, at: now) }
    closePiece(at: now)
    run(outer, at: now)
  }

  /// Notes that the tick's cause was due at `due`, in nanoseconds of the loop's
  /// clock.
  mutating func wasDue(at due: UInt64) {
    let present = nanoseconds(at: now)
    lateness = max(lateness ?? 0, present > due ? present &- due : 0)
  }

  /// Notes that the tick's cause was due when the counter was `cycles`.
  mutating func wasDue(atCycles cycles: UInt64) {
    let late = now &- cycles
    // Two CPUs' counters may differ slightly.
    guard virtualTime == nil, late < 1 << 62 else { return }
    lateness = max(lateness ?? 0, clock.rate.nanoseconds(of: late))
  }

  /// Ends the current piece without a reading of the counter, which takes longer
  /// than the rest of `end(_:)`. The piece is measured up to the next reading.
  @inline(__always)
  private mutating func leave(_ outer: OwnerWord) {
    owner = outer
    slot?.run(outer.rawValue, at: pieceStart)
  }

  @inline(__always)
  private mutating func run(_ owner: OwnerWord, at now: UInt64) {
    self.owner = owner
    measuredOwner = owner
    pieceStart = now
    slot?.run(owner.rawValue, at: now)
  }

  @inline(__always)
  private mutating func closePiece(at now: UInt64) {
    let length = now &- pieceStart
    // A negative length: the counters of two CPUs differ slightly.
    guard length > longest, length < 1 << 62 else { return }
    longest = length
    longestOwner = measuredOwner
  }
}

// Ticks.
extension Recorder {
  /// Begins a tick unless one has begun. Called by the first of our callbacks
  /// after a poll.
  ///
  /// - Parameter polled: The time when libuv's poll returned, in whole
  ///   milliseconds of the system's clock.
  @inline(__always)
  mutating func enterTick(polledAt polled: @autoclosure () -> UInt64) {
    if !isInTick { beginTick(polledAt: polled()) }
  }

  @inline(never)
  private mutating func beginTick(polledAt polled: UInt64) {
    let now = now
    beginTick(at: now)
    defer { trace?.beginTick(at: tickStart) }
    guard mayHaveSlept, virtualTime == nil else { return }
    // Callbacks of other handles may have run since the poll returned. libuv's
    // clock tells, to the millisecond.
    let latest = clock.rate.cycles(at: (polled &+ 1) &* 1_000_000)
    guard latest < now else { return }
    tickStart = max(latest, tickEnd)
    pieceStart = tickStart
  }

  /// Called when the loop begins to perform the tick's work. Until the tick ends,
  /// only pieces of work run, and code of this library between them.
  @inline(__always)
  mutating func willPerform() { isLibraryNext = true }

  /// Ends the tick and returns its measurements.
  @inline(__always)
  mutating func endTick() -> Tick {
    let now = now
    if _slowPath(!isInTick) { beginTick(at: now) }
    closePiece(at: now)
    trace?.endTick(at: now)
    if virtualTime == nil, clock.isStale(at: now) { clock.refresh() }
    let carried = metrics.carriedOver.value
    let tick = Tick(
      clock: virtualTime == nil ? clock.rate : .nanoseconds,
      start: tickStart,
      end: now,
      waitStart: mayHaveSlept && tickEnd < tickStart ? tickEnd : tickStart,
      lateness: lateness,
      pollToCallback: counts == SIMD16() ? nil : timeUntilLastCallback,
      isWhole: isWhole,
      counts: counts,
      carriedOver: carried &- carriedBefore,
      longest: longest,
      longestOwner: longestOwner
    )
    carriedBefore = carried
    tickEnd = now
    isLibraryNext = false
    return tick
  }

  /// Called when libuv is about to poll, after `endTick()`.
  mutating func willPoll(mayBlock: Bool) {
    isInTick = false
    mayHaveSlept = mayBlock
    // The time that the handler took does not count as slept.
    if mayBlock { tickEnd = now }
    longest = 0
    longestOwner = OwnerWord(.other)
    counts = SIMD16()
    lateness = nil
    slot?.end(at: tickEnd)
    // The poll of a tick that does not block belongs to the next tick.
    if mayBlock { return }
    beginTick(at: tickEnd)
    trace?.beginTick(at: tickEnd)
  }

  /// Whether pieces of work have begun since the last tick ended.
  var hasPieces: Bool { isInTick && counts != SIMD16() }

  private var timeUntilLastCallback: UInt64 {
    // Earlier only if the counters of two CPUs differ.
    lastCallback > tickStart ? lastCallback &- tickStart : 0
  }

  /// Called when a run has returned, and when one begins. The time between them
  /// is not part of a tick, and does not count as slept.
  mutating func leaveRun() {
    willPoll(mayBlock: true)
    mayHaveSlept = false
    trace?.leave(at: tickEnd)
  }

  private mutating func beginTick(at now: UInt64) {
    (isInTick, isWhole) = (true, true)
    (tickStart, lastCallback) = (now, now)
    slot?.begin(at: now)
    run(OwnerWord(.other), at: now)
  }

  @inline(__always)
  var now: UInt64 {
    guard let virtualTime else { return CycleClock.cycles }
    return virtualTime()
  }

  private func nanoseconds(at reading: UInt64) -> UInt64 {
    virtualTime == nil ? clock.rate.nanoseconds(at: reading) : reading
  }
}
