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
  /// The tick that runs, or the last one after `endTick()`.
  var tick: Tick
  private(set) var slot: WorkSlot?
  /// Where a trace records this loop's work.
  var trace: LoopTraceRing? { didSet { updateReaders() } }
  // So that a tick without a trace reads one byte and counts no reference.
  private(set) var isTraced = false
  /// The meters of the frame clocks that report.
  var frameMeters: [FrameMeter] = [] { didSet { updateReaders() } }
  // Whether there is a trace or a meter, so that the end of a tick without both
  // reads one byte.
  private var hasReaders = false
  // The longest piece of this tick before its last frame.
  var beforeFrame = LongestPiece()
  private let metrics: MetricsCells
  // Nil if the loop reads the system's clock.
  private let virtualTime: (() -> UInt64)?
  /// Whether times are readings of the CPU's counter. False with a virtual clock,
  /// and if the CPU has no counter.
  let readsCounter: Bool
  private(set) var clock: CycleClock

  // In units of `now`.
  private var tickEnd: UInt64
  // The end of the last tick, if the loop may have slept since. Otherwise `.max`.
  private var waitStart = UInt64.max
  // The end of the last tick. `tickEnd` also moves when a run begins.
  private(set) var workEnd: UInt64
  /// When the current piece began.
  private(set) var pieceStart: UInt64

  // The owner of the current piece.
  private var owner = OwnerWord(.other)
  // Differs from `owner` after `leave(_:)`.
  private var measuredOwner = OwnerWord(.other)
  // The number of `enter()` that have not ended.
  private(set) var depth = 0
  private var carriedBefore: UInt64
  private(set) var isInTick = false
  private var isWhole = true
  // Whether only code of this library and pieces of work run until the tick
  // ends.
  private var isLibraryNext = false
  // The last time of `enterTick(polledAt:)`, and the latest reading at which a
  // poll may have returned then.
  private var polled = UInt64.max
  private var latestPoll = UInt64.max
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
    readsCounter = virtualTime == nil && System.cycles != 0
    clock = virtualTime == nil ? CycleClock() : .nanoseconds
    slot = .claim(virtualTime == nil ? .loop : .steppedLoop, name: System.threadName)
    let now = virtualTime?() ?? CycleClock.cycles
    tick = Tick(rate: clock.rate, start: now, end: now, waitStart: now, lastCallback: now)
    (tickEnd, workEnd, pieceStart) = (now, now, now)
    carriedBefore = metrics.carriedOver.value
    WorkSlot.addReader()
    guard isInTick else { return }
    beginTick(at: now)
    isWhole = false
  }

  deinit { if !isStopped { endPublishing() } }

  private mutating func updateReaders() {
    isTraced = trace != nil
    hasReaders = isTraced || !frameMeters.isEmpty
  }

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
  mutating func begin(_ owner: OwnerWord, arrow: @autoclosure () -> UInt64 = 0) {
    let now = now
    closePiece(at: now)
    if _slowPath(isTraced) { traceBegin(owner, arrow(), at: now) }
    tick.counts.add(owner.kindIndex)
    if depth == 1 { tick.lastCallback = now }
    run(owner, at: now)
  }

  /// Ends the current piece. The code that follows belongs to `outer`, the piece
  /// that called the current one.
  @inline(__always)
  mutating func end(_ outer: OwnerWord) {
    // 0 if a piece began before the recording and ends in it.
    if depth > 0 { depth &-= 1 }
    if isLibraryNext, outer == OwnerWord(.other), !isTraced { return leave(outer) }
    let now = now
    if _slowPath(isTraced) { traceEnd(at: now) }
    closePiece(at: now)
    run(outer, at: now)
  }

  /// Notes that the tick's cause was due at `due`, in nanoseconds of the loop's
  /// clock.
  mutating func wasDue(at due: UInt64) {
    let present = nanoseconds(at: now)
    tick.recordLateness(present > due ? present &- due : 0)
  }

  /// Notes that the tick's cause was due when the counter was `cycles`.
  mutating func wasDue(atCycles cycles: UInt64) {
    let late = now &- cycles
    // Two CPUs' counters may differ slightly.
    guard virtualTime == nil, late < 1 << 62 else { return }
    tick.recordLateness(clock.rate.nanoseconds(of: late))
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
    // Signed: if the counters of two CPUs differ slightly, the length may be
    // negative.
    let length = Int64(bitPattern: now &- pieceStart)
    guard length > Int64(bitPattern: tick.longest) else { return }
    tick.longest = UInt64(bitPattern: length)
    tick.longestOwner = measuredOwner
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
    // The loop may have slept for long, so the rate may be out of date.
    if _slowPath(clock.isStale(at: now)) { refreshClock() }
    // Callbacks of other handles may have run since the poll returned. libuv's
    // clock tells, to the millisecond.
    if _slowPath(polled != self.polled) { notePoll(at: polled) }
    if _slowPath(now > latestPoll) { moveStart() }
    if _slowPath(isTraced) { traceBeginTick() }
  }

  // Converts a time once, because most ticks of a busy loop share a millisecond.
  @inline(never)
  private mutating func notePoll(at polled: UInt64) {
    self.polled = polled
    latestPoll = virtualTime == nil ? clock.rate.cycles(at: (polled &+ 1) &* 1_000_000) : .max
  }

  /// Moves the beginning of the tick back to the latest return of the poll, if
  /// the poll may have blocked.
  @inline(never)
  private mutating func moveStart() {
    guard waitStart != .max else { return }
    tick.start = max(latestPoll, tickEnd)
    tick.waitStart = tickEnd
    pieceStart = tick.start
  }

  /// Called when the loop begins to perform the tick's work. Until the tick ends,
  /// only pieces of work run, and code of this library between them.
  @inline(__always)
  mutating func willPerform() { isLibraryNext = true }

  /// Ends the tick at `now`. Returns whether `tick` describes the whole of it. If
  /// not, the recording began during the tick.
  @inline(__always)
  mutating func endTick(at now: UInt64) -> Bool {
    if _slowPath(!isInTick) { beginMissedTick(at: now) }
    closePiece(at: now)
    if _slowPath(hasReaders) { tellReaders(at: now) }
    if _slowPath(clock.isStale(at: now)) { refreshClock() }
    let carried = metrics.carriedOver.value
    tick.end = now
    tick.counts.carriedOver = UInt32(truncatingIfNeeded: carried &- carriedBefore)
    carriedBefore = carried
    (tickEnd, workEnd) = (now, now)
    isLibraryNext = false
    return isWhole
  }

  @inline(never)
  private mutating func beginMissedTick(at now: UInt64) { beginTick(at: now) }

  @inline(never)
  private mutating func tellReaders(at now: UInt64) {
    if !frameMeters.isEmpty { endFramePieces() }
    if isTraced { traceEndTick(at: now) }
  }

  // The rate is part of every report, but changes rarely.
  @inline(never)
  private mutating func refreshClock() {
    clock.refresh()
    tick.rate = clock.rate
  }

  /// Called when libuv is about to poll, after `endTick()`.
  ///
  /// - Parameter atOnce: Whether only code of this library has run since then, so
  ///   that the counter need not be read again.
  @inline(__always)
  mutating func willPoll(mayBlock: Bool, atOnce: Bool = false) {
    isInTick = false
    tick.clear()
    guard mayBlock else { return continueInPoll() }
    // The time that the handler took does not count as slept.
    if !atOnce { tickEnd = now }
    waitStart = tickEnd
    slot?.end(at: tickEnd)
  }

  /// Begins the next tick at the end of the last one. The poll of a tick that
  /// does not block belongs to the next tick.
  @inline(never)
  private mutating func continueInPoll() {
    slot?.end(at: tickEnd)
    waitStart = .max
    beginTick(at: tickEnd)
    if _slowPath(isTraced) { traceBeginTick() }
  }

  /// Publishes that the loop's host runs work of its own between two turns, or
  /// that it waits if `owner` is nil. It is no part of a tick.
  mutating func publish(hostsWork owner: OwnerWord?) {
    let now = now
    if let owner { slot?.begin(owner.rawValue, at: now) } else { slot?.end(at: now) }
  }

  /// Whether pieces of work have begun since the last tick ended.
  var hasPieces: Bool { isInTick && tick.pieceCount > 0 }

  /// Called when a run has returned, and when one begins. The time between them
  /// is not part of a tick, and does not count as slept.
  mutating func leaveRun() {
    willPoll(mayBlock: true)
    waitStart = .max
    if _slowPath(isTraced) { traceLeave(at: tickEnd) }
  }

  @inline(__always)
  private mutating func beginTick(at now: UInt64) {
    (isInTick, isWhole) = (true, true)
    (tick.start, tick.waitStart, tick.lastCallback) = (now, min(waitStart, now), now)
    let other = OwnerWord(.other)
    (owner, measuredOwner, pieceStart) = (other, other, now)
    slot?.begin(other.rawValue, at: now)
  }

  // Mutating, like all functions that a tick calls, so that the compiler passes
  // the address of the recorder and does not copy it.
  var now: UInt64 {
    @inline(__always)
    mutating get { _fastPath(readsCounter) ? System.cycles : otherNow() }
  }

  // Not inlined, because a call of the closure counts a reference.
  @inline(never)
  private mutating func otherNow() -> UInt64 { virtualTime?() ?? CycleClock.cycles }

  func nanoseconds(at reading: UInt64) -> UInt64 { clock.rate.nanoseconds(at: reading) }
}
