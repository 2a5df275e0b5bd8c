import Synchronization

/// Converts readings of the CPU's counter into times of the system's clock.
///
/// The counter is read in 10 ns, and the clock in 26 ns. The clock is read again
/// at most once per `interval`, so that the two do not drift apart. If the CPU
/// has no counter, the clock takes its place.
struct CycleClock {
  /// One reading of both.
  struct Reading: BitwiseCopyable {
    let cycles: UInt64
    let nanoseconds: UInt64

    static var now: Reading {
      let (cycles, nanoseconds) = (System.cycles, System.nanoseconds)
      return Reading(cycles: cycles == 0 ? nanoseconds : cycles, nanoseconds: nanoseconds)
    }

    /// One reading of both at the same time, except for 0.1 us. Returns nil if
    /// the thread was interrupted between the two.
    static var exact: Reading? {
      let reading = Reading.now
      return System.cycles &- reading.cycles < System.cyclesPerReading / 50 ? reading : nil
    }
  }

  // Over 200 us, an error of 26 ns is 0.02 %. The time between the first reading
  // of the process and a later one makes the rate exact.
  private static let first: Reading = {
    let first = Reading.now
    while System.nanoseconds - first.nanoseconds < 200_000 { System.pause() }
    return first
  }()

  /// Converts readings of the counter.
  struct Rate: BitwiseCopyable {
    /// Readings that are nanoseconds of the clock already.
    static let nanoseconds = Rate(anchor: Reading(cycles: 0, nanoseconds: 0), scale: 1 << 32)

    fileprivate var anchor: Reading
    // Nanoseconds per cycle, times 2 to the power of 32.
    fileprivate var scale: UInt64

    /// Creates a rate without an anchor, for durations. Returns nil unless the
    /// readings are 1 ms apart, so that an error of 0.1 us in each is 0.02 %.
    init?(from first: Reading, to last: Reading) {
      let (cycles, time) = (last.cycles &- first.cycles, last.nanoseconds &- first.nanoseconds)
      guard time >= 1_000_000, cycles > 0, cycles < 1 << 62 else { return nil }
      self.init(anchor: last, scale: Self.scale(cycles, time))
    }

    // The scale of the rate that a loop has measured last, or 0. Relaxed: the
    // word orders no other memory.
    private static let measuredScale = Atomic<UInt64>(0)

    /// The rate that a loop of this process has measured, without an anchor.
    static var measured: Rate? {
      let scale = measuredScale.load(ordering: .relaxed)
      return scale == 0 ? nil : Rate(anchor: Reading(cycles: 0, nanoseconds: 0), scale: scale)
    }

    /// Lets the loops that are created from now on use the rate.
    func publish() { Self.measuredScale.store(scale, ordering: .relaxed) }

    private init(anchor: Reading, scale: UInt64) {
      self.anchor = anchor
      self.scale = scale
    }

    fileprivate static func scale(_ cycles: UInt64, _ time: UInt64) -> UInt64 {
      max(1, UInt64(Double(time) / Double(cycles) * 4_294_967_296))
    }

    /// The duration of `cycles`, in nanoseconds.
    @inline(__always)
    func nanoseconds(of cycles: UInt64) -> UInt64 {
      let product = cycles.multipliedFullWidth(by: scale)
      return product.high << 32 | product.low >> 32
    }

    /// The time of the system's clock at a reading of the counter.
    func nanoseconds(at cycles: UInt64) -> UInt64 {
      // A reading before the anchor is possible.
      cycles >= anchor.cycles
        ? anchor.nanoseconds &+ nanoseconds(of: cycles &- anchor.cycles)
        : anchor.nanoseconds &- nanoseconds(of: anchor.cycles &- cycles)
    }

    /// The reading of the counter at a time of the system's clock.
    func cycles(at nanoseconds: UInt64) -> UInt64 {
      let isLater = nanoseconds >= anchor.nanoseconds
      let distance = isLater ? nanoseconds - anchor.nanoseconds : anchor.nanoseconds - nanoseconds
      let cycles = UInt64(Double(distance) * 4_294_967_296 / Double(scale))
      return isLater ? anchor.cycles &+ cycles : anchor.cycles &- min(cycles, anchor.cycles)
    }
  }

  /// A clock for readings that are nanoseconds already. Never stale.
  static let nanoseconds = CycleClock(interval: .max)

  private(set) var rate = Rate.nanoseconds
  // In cycles.
  private var interval: UInt64

  /// Creates a clock. The first one of a process takes 0.2 ms.
  init() {
    interval = 0
    refresh()
  }

  private init(interval: UInt64) { self.interval = interval }

  /// The counter.
  @inline(__always)
  static var cycles: UInt64 {
    let cycles = System.cycles
    return _fastPath(cycles != 0) ? cycles : System.nanoseconds
  }

  /// Whether the clock was last read so long ago that `refresh()` should be
  /// called.
  @inline(__always)
  func isStale(at cycles: UInt64) -> Bool { cycles &- rate.anchor.cycles > interval }

  /// Reads the clock again.
  @inline(never)
  mutating func refresh() {
    let (first, anchor) = (Self.first, Reading.now)
    rate.anchor = anchor
    let (cycles, time) = (anchor.cycles &- first.cycles, anchor.nanoseconds &- first.nanoseconds)
    guard cycles > 0, time > 0, cycles < 1 << 62 else { return }
    rate.scale = Rate.scale(cycles, time)
    // 100 ms. At an error of 0.02 % of the rate, a time is at most 20 us off.
    interval = UInt64(100_000_000 * Double(cycles) / Double(time))
  }
}
