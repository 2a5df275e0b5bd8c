import Synchronization

/// The last events of one loop or thread, in memory that never grows.
///
/// One thread writes at a time. Any thread reads, and the writer never waits.
final class TraceRing: @unchecked Sendable {
  // @unchecked: `time` is called on the thread that writes. The rest is constant
  // or atomic.

  /// The owner of a ring.
  enum Kind: Sendable {
    case thread
    case loop
    /// A loop with a virtual clock, which is the clock of its events.
    case steppedLoop
    case worker
  }

  /// The number of the trace.
  let trace: UInt32
  let kind: Kind
  let name: String
  /// Returns the time of the virtual clock, if the events have its times.
  private let time: (() -> UInt64)?
  /// For the thread that writes.
  let writer: TraceWriter
  /// The number of events when the trace was stopped, or `.max`.
  private let limit = Atomic<UInt64>(.max)
  private let memory: ZeroedWords
  private let capacity: UInt64

  /// Creates an empty ring. Returns nil if the system is out of memory.
  ///
  /// - Parameter capacity: The number of events, a power of two.
  init?(
    _ kind: Kind,
    name: String,
    time: (() -> UInt64)? = nil,
    capacity: Int,
    trace: UInt32
  ) {
    guard let memory = ZeroedWords(TraceWriter.wordCount(capacity)) else { return nil }
    self.kind = kind
    self.name = name
    self.time = time
    self.trace = trace
    self.memory = memory
    self.capacity = UInt64(capacity)
    writer = TraceWriter(words: memory.base, mask: UInt64(capacity - 1))
  }

  deinit { memory.free() }

  /// The present time, in units of the events' times. Call on the thread that
  /// writes.
  var now: UInt64 { time?() ?? CycleClock.cycles }

  /// Leaves out the events that are recorded from now on. Call from any thread.
  func stop() {
    // Relaxed: the limit orders no other memory.
    limit.store(writer.count, ordering: .relaxed)
  }

  /// The events in the order recorded, and the number of those that were
  /// overwritten. Call from any thread.
  var events: (events: [TraceEvent], lost: UInt64) {
    let end = min(writer.count, limit.load(ordering: .relaxed))
    let start = end > capacity ? end - capacity : 0
    var events = (start..<end).map { writer.event(at: $0) }
    // The writer may have overwritten events meanwhile, and may be writing one
    // now. A word of a later event makes the count before it visible here.
    let count = writer.count
    let first = count >= capacity ? count - capacity + 1 : 0
    let lost = min(max(first, start), end)
    events.removeFirst(Int(lost - start))
    return (events, lost)
  }
}

/// Appends events to a ring. Valid as long as the ring.
struct TraceWriter: BitwiseCopyable, @unchecked Sendable {
  // @unchecked: one thread at a time calls the functions that write, and all
  // accesses are atomic.

  // The first word is the number of events so far. The events begin in the next
  // cache line.
  fileprivate let words: UnsafeMutablePointer<Atomic<UInt64>>
  fileprivate let mask: UInt64

  fileprivate static func wordCount(_ capacity: Int) -> Int { 8 + 4 * capacity }

  /// Appends `event`.
  @inline(__always)
  func append(_ event: TraceEvent) {
    // Relaxed: this thread wrote it last.
    let index = words[0].load(ordering: .relaxed)
    let word = words + 8 + Int(truncatingIfNeeded: index & mask) &* 4
    // Release: a reader that sees a word of this event sees the count before
    // it, and drops the event that this one replaces.
    word[0].store(event.time, ordering: .releasing)
    word[1].store(event.name, ordering: .releasing)
    word[2].store(event.value, ordering: .releasing)
    word[3].store(event.tag, ordering: .releasing)
    // Release: a reader that sees the count sees the event.
    words[0].store(index &+ 1, ordering: .releasing)
  }

  /// The number of events so far.
  // Acquire: pairs with the last release in `append(_:)`.
  fileprivate var count: UInt64 { words[0].load(ordering: .acquiring) }

  fileprivate func event(at index: UInt64) -> TraceEvent {
    let word = words + 8 + Int(index & mask) * 4
    // Acquire: pairs with the release of each word in `append(_:)`, so that the
    // count that is read next includes an event that was overwritten.
    return TraceEvent(
      time: word[0].load(ordering: .acquiring),
      name: word[1].load(ordering: .acquiring),
      value: word[2].load(ordering: .acquiring),
      tag: word[3].load(ordering: .acquiring)
    )
  }
}

extension TraceRing: Unreflected {}
