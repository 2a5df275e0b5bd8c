/// Where a loop records its work for a trace. X3.
///
/// A tick has depth 0. The work of the n-th nested call has depth 2n, and the
/// flush that it may be part of 2n - 1.
struct LoopTraceRing {
  let ring: TraceRing
  let writer: TraceWriter
  private let current = TraceThread.current
  // Whether the thread records in the ring, and the ring of the loop whose callback
  // runs this one.
  private var isEntered = false
  private var outer: TraceRing?

  init(_ ring: TraceRing) {
    self.ring = ring
    writer = ring.writer
  }

  @inline(__always)
  func begin(_ owner: OwnerWord, depth: Int, _ arrow: UInt64, at now: UInt64) {
    writer.append(
      TraceEvent(.spanBegin, at: now, name: owner.rawValue, value: arrow, depth: depth)
    )
  }

  @inline(__always)
  func end(depth: Int, at now: UInt64) {
    writer.append(TraceEvent(.spanEnd, at: now, depth: depth))
  }

  /// Whether code that the thread runs records in the ring.
  var isCurrent: Bool {
    @inline(__always) get { TraceThread.isCurrent(ring, current) }
  }

  /// Called when the thread begins to run the loop.
  @inline(never)
  mutating func enter() {
    if !isEntered { (isEntered, outer) = (true, TraceThread.ringOfLoop) }
    TraceThread.enter(ring)
  }

  @inline(__always)
  func beginTick(at now: UInt64) { writer.append(TraceEvent(.tickBegin, at: now)) }

  func endTick(at now: UInt64) { writer.append(TraceEvent(.tickEnd, at: now)) }

  /// Called when the thread no longer runs code of the loop.
  mutating func leave(at now: UInt64) {
    endTick(at: now)
    TraceThread.leave(ring, to: outer)
    (isEntered, outer) = (false, nil)
  }

  func append(_ event: TraceEvent) { writer.append(event) }
}

// Tracing. None of this is inlined, because it would slow down ticks without a
// trace.
extension Recorder {
  @inline(never)
  mutating func traceBegin(_ owner: OwnerWord, _ arrow: UInt64, at now: UInt64) {
    trace?.begin(owner, depth: 2 &* depth, arrow, at: now)
  }

  @inline(never)
  mutating func traceEnd(at now: UInt64) { trace?.end(depth: 2 &* depth &+ 1, at: now) }

  @inline(never)
  mutating func traceBeginTick() { traceBeginTick(at: tick.start) }

  @inline(__always)
  private mutating func traceBeginTick(at now: UInt64) {
    // In place, because a copy would count references.
    if _slowPath(trace?.isCurrent == false) { trace?.enter() }
    trace?.beginTick(at: now)
  }

  @inline(never)
  mutating func traceEndTick(at now: UInt64) { trace?.endTick(at: now) }

  @inline(never)
  mutating func traceLeave(at now: UInt64) { trace?.leave(at: now) }

  /// Starts to record for a trace, or stops if `ring` is nil.
  mutating func setTrace(_ ring: TraceRing?) {
    endTrace()
    trace = ring.map(LoopTraceRing.init)
    let now = now
    if isInTick { traceBeginTick(at: now) }
  }

  /// Stops recording for a trace.
  mutating func endTrace() {
    let now = now
    trace?.leave(at: now)
    trace = nil
  }

  /// Begins a flush. Call after `enter()`. Its pieces of work end with it.
  mutating func beginFlush() {
    guard let trace else { return }
    let owner = OwnerWord(.other, "flush" as StaticString)
    let now = now
    trace.begin(owner, depth: 2 * depth - 1, 0, at: now)
  }

  /// Records that frame `index` begins, `lateness` nanoseconds late.
  mutating func markFrame(_ index: Int, lateness: UInt64) {
    let (now, index) = (now, UInt64(bitPattern: Int64(index)))
    trace?.append(TraceEvent(.frame, at: now, name: lateness, value: index))
  }

  /// Records that an arrow begins here.
  mutating func beginArrow(_ topic: TraceEvent.Topic, _ key: UInt64) {
    let now = now
    trace?.append(TraceEvent(.arrowBegin, at: now, value: key, topic: topic))
  }

  /// Records that an arrow ends here.
  mutating func endArrow(_ topic: TraceEvent.Topic, _ key: UInt64) {
    let now = now
    trace?.append(TraceEvent(.arrowEnd, at: now, value: key, topic: topic))
  }
}
