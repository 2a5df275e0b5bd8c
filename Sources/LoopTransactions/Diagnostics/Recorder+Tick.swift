// The measurements of one tick.
extension Recorder {
  /// One tick. The times are in units of `rate`.
  ///
  /// The recorder fills it in place, and a report copies it once. Its optional
  /// values are therefore encoded, and decoded when read.
  struct Tick: BitwiseCopyable {
    var rate: CycleClock.Rate
    var start: UInt64 = 0
    var end: UInt64 = 0
    /// When the loop began to wait. Equals `start` if it did not.
    var waitStart: UInt64 = 0
    /// The beginning of the last piece that no other piece called.
    var lastCallback: UInt64 = 0
    /// The lateness in nanoseconds, plus one. 0 if it is not known.
    var latenessPlusOne: UInt64 = 0
    var carriedOver: UInt64 = 0
    var longest: UInt64 = 0
    var longestOwner = OwnerWord(.other)
    /// The number of pieces of each kind.
    var counts = SIMD16<UInt32>()
  }
}

extension Recorder.Tick {
  /// The time by which the tick was later than its cause, in nanoseconds. Nil if
  /// no cause has a known time.
  var lateness: UInt64? { latenessPlusOne == 0 ? nil : latenessPlusOne &- 1 }

  /// The time from the beginning until the last callback began. Nil if there was
  /// none.
  var pollToCallback: UInt64? {
    // Earlier only if the counters of two CPUs differ.
    pieceCount == 0 ? nil : lastCallback > start ? lastCallback &- start : 0
  }

  /// The number of pieces of all kinds.
  var pieceCount: Int { Int(counts.wrappedSum()) }

  /// Notes that a cause of the tick was due `nanoseconds` before it.
  @inline(__always)
  mutating func wasLate(by nanoseconds: UInt64) {
    latenessPlusOne = max(latenessPlusOne, nanoseconds &+ 1)
  }

  /// Prepares for the next tick.
  @inline(__always)
  mutating func clear() {
    latenessPlusOne = 0
    longest = 0
    longestOwner = OwnerWord(.other)
    counts = SIMD16()
  }
}
