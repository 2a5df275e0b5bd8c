// The measurements of one tick.
extension Recorder {
  /// One tick. The times are in units of `rate`.
  ///
  /// The recorder fills it in place, and a report copies it once. Its optional
  /// values are therefore encoded, and decoded when read. It takes 128 bytes: the
  /// compiler copies more by a call of `memcpy`.
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
    var longest: UInt64 = 0
    var longestOwner = OwnerWord(.other)
    var counts = PieceCounts()
  }
}

/// The number of pieces of each kind in a tick, and how often it carried work over.
struct PieceCounts: BitwiseCopyable {
  // Vectors, which are cleared and added up at once. The raw value of a kind is the
  // index of its number. No kind has the raw value 0.
  private var numbers = (SIMD4<UInt32>(), SIMD4<UInt32>(), SIMD4<UInt32>())

  /// Counts a piece of the kind with this raw value.
  @inline(__always)
  mutating func add(_ kind: Int) {
    assert(kind > 0 && kind < 12, "PieceCounts.add: no kind \(kind)")
    withUnsafeMutableBytes(of: &numbers) { bytes in
      let number = bytes.load(fromByteOffset: 4 &* kind, as: UInt32.self)
      bytes.storeBytes(of: number &+ 1, toByteOffset: 4 &* kind, as: UInt32.self)
    }
  }

  /// The number of pieces of `kind`.
  subscript(kind: Work.Kind) -> Int {
    withUnsafeBytes(of: numbers) {
      Int($0.load(fromByteOffset: 4 * Int(kind.rawValue), as: UInt32.self))
    }
  }

  /// The number of pieces of all kinds.
  var sum: Int {
    Int((numbers.0 &+ numbers.1 &+ numbers.2).wrappedSum() &- numbers.0[0])
  }

  /// How often the tick carried work over.
  var carriedOver: UInt32 {
    get { numbers.0[0] }
    set { numbers.0[0] = newValue }
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
  var pieceCount: Int { counts.sum }

  /// Notes that a cause of the tick was due `nanoseconds` before it.
  @inline(__always)
  mutating func recordLateness(_ nanoseconds: UInt64) {
    latenessPlusOne = max(latenessPlusOne, nanoseconds &+ 1)
  }

  /// Prepares for the next tick.
  @inline(__always)
  mutating func clear() {
    latenessPlusOne = 0
    longest = 0
    longestOwner = OwnerWord(.other)
    counts = PieceCounts()
  }
}
