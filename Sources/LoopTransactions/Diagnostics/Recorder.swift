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
  var trace: LoopTraceRing? { didSet { isTraced = trace != nil } }
  // So that a tick without a trace reads one byte and counts no reference.
  private(set) var isTraced = false
  /// The meters of the frame clocks that report, and whether there are any.
  var frameMeters: [FrameMeter] = [] { didSet { hasFrameMeters = !frameMeters.isEmpty } }
  private(set) var hasFrameMeters = false
  // The longest piece of this tick before its last frame.
  var beforeFrame = LongestPiece()
  private let metrics: MetricsCells
  // Nil if the loop reads the system's clock.
  private let virtualTime: (() -> UInt64)?
  // Whether times are readings of the CPU's counter. False with a virtual clock,
  // and if the CPU has no counter.
  private let readsCounter: Bool
  private(set) var clock: CycleClock

  // Both in units of `now`.
  private var tickEnd: UInt64
  // The end of the last tick. `tickEnd` also moves when a run begins.
  private(set) var workEnd: UInt64
  private var pieceStart: UInt64

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
    tick.wasLate(by: present > due ? present &- due : 0)
  }

  /// Notes that the tick's cause was due when the counter was `cycles`.
  mutating func wasDue(atCycles cycles: UInt64) {
    let late = now &- cycles
    // Two CPUs' counters may differ slightly.
    guard virtualTime == nil, late < 1 << 62 else { return }
    tick.wasLate(by: clock.rate.nanoseconds(of: late))
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
    defer { if _slowPath(isTraced) { traceBeginTick() } }
    guard mayHaveSlept, virtualTime == nil else { return }
    // Callbacks of other handles may have run since the poll returned. libuv's
    // clock tells, to the millisecond. The comparison needs no division.
    let latest = (polled &+ 1) &* 1_000_000
    guard clock.rate.nanoseconds(at: now) > latest else { return }
    tick.start = max(min(clock.rate.cycles(at: latest), now), tickEnd)
    tick.waitStart = tickEnd
    pieceStart = tick.start
  }

  /// Called when the loop begins to perform the tick's work. Until the tick ends,
  /// only pieces of work run, and code of this library between them.
  @inline(__always)
  mutating func willPerform() { isLibraryNext = true }

  /// Ends the tick. Returns whether `tick` describes the whole of it. If not, the
  /// recording began during the tick.
  @inline(__always)
  mutating func endTick() -> Bool {
    let now = now
    if _slowPath(!isInTick) { beginTick(at: now) }
    closePiece(at: now)
    if _slowPath(hasFrameMeters) { endFramePieces() }
    if _slowPath(isTraced) { traceEndTick(at: now) }
    if _slowPath(clock.isStale(at: now)) { refreshClock() }
    let carried = metrics.carriedOver.value
    tick.end = now
    tick.counts.carriedOver = UInt32(truncatingIfNeeded: carried &- carriedBefore)
    carriedBefore = carried
    (tickEnd, workEnd) = (now, now)
    isLibraryNext = false
    return isWhole
  }

  // The rate is part of every report, but changes rarely.
  @inline(never)
  private mutating func refreshClock() {
    clock.refresh()
    tick.rate = clock.rate
  }

  /// Called when libuv is about to poll, after `endTick()`.
  @inline(__always)
  mutating func willPoll(mayBlock: Bool) {
    isInTick = false
    mayHaveSlept = mayBlock
    // The time that the handler took does not count as slept.
    if mayBlock { tickEnd = now }
    tick.clear()
    slot?.end(at: tickEnd)
    // The poll of a tick that does not block belongs to the next tick.
    if mayBlock { return }
    beginTick(at: tickEnd, waitStart: tickEnd)
    if _slowPath(isTraced) { traceBeginTick() }
  }

  /// Whether pieces of work have begun since the last tick ended.
  var hasPieces: Bool { isInTick && tick.pieceCount > 0 }

  /// Called when a run has returned, and when one begins. The time between them
  /// is not part of a tick, and does not count as slept.
  mutating func leaveRun() {
    willPoll(mayBlock: true)
    mayHaveSlept = false
    if _slowPath(isTraced) { traceLeave(at: tickEnd) }
  }

  @inline(never)
  private mutating func beginTick(at now: UInt64) {
    beginTick(at: now, waitStart: mayHaveSlept ? min(tickEnd, now) : now)
  }

  @inline(__always)
  private mutating func beginTick(at now: UInt64, waitStart: UInt64) {
    (isInTick, isWhole) = (true, true)
    (tick.start, tick.waitStart, tick.lastCallback) = (now, waitStart, now)
    slot?.begin(at: now)
    run(OwnerWord(.other), at: now)
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
