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

    /// One reading of both, the best of a few, because the thread may be
    /// interrupted between the two.
    static var exact: Reading {
      var (best, shortest) = (now, UInt64.max)
      for _ in 0..<4 {
        let reading = now
        let time = CycleClock.cycles &- reading.cycles
        if time < shortest { (best, shortest) = (reading, time) }
      }
      return best
    }
  }

  private static let first = Reading.exact

  /// Returns the counter's and the clock's time since the first reading of the
  /// process, and the reading that ends it. Waits for at least `least`, so that
  /// an error of 26 ns does not matter.
  private static func time(
    atLeast least: UInt64
  ) -> (cycles: UInt64, nanoseconds: UInt64, end: Reading) {
    let first = first
    while System.nanoseconds &- first.nanoseconds < least { System.pause() }
    let end = Reading.exact
    return (end.cycles &- first.cycles, end.nanoseconds &- first.nanoseconds, end)
  }

  /// Converts readings of the counter.
  struct Rate: BitwiseCopyable {
    /// Readings that are nanoseconds of the clock already.
    static let nanoseconds = Rate(anchor: Reading(cycles: 0, nanoseconds: 0), scale: 1 << 32)

    fileprivate var anchor: Reading
    // Nanoseconds per cycle, times 2 to the power of 32.
    fileprivate var scale: UInt64

    /// The rate of the counter, without an anchor, for durations. The process
    /// measures it once, over 20 us at least, to about 0.1 %.
    static let measured: Rate = {
      let time = CycleClock.time(atLeast: 20_000)
      return Rate(
        anchor: Reading(cycles: 0, nanoseconds: 0),
        scale: scale(time.cycles, time.nanoseconds)
      )
    }()

    private init(anchor: Reading, scale: UInt64) {
      self.anchor = anchor
      self.scale = scale
    }

    fileprivate static func scale(_ cycles: UInt64, _ time: UInt64) -> UInt64 {
      max(1, UInt64(Double(time) / Double(max(1, cycles)) * 4_294_967_296))
    }

    /// The number of cycles in a duration. Saturates.
    func cycles(in nanoseconds: UInt64) -> UInt64 {
      UInt64(min(Double(nanoseconds) * 4_294_967_296 / Double(scale), 0x1p62))
    }

    /// The duration of `cycles`, in nanoseconds.
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
      let cycles = cycles(in: distance)
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
  static var cycles: UInt64 {
    let cycles = System.cycles
    return _fastPath(cycles != 0) ? cycles : System.nanoseconds
  }

  /// Whether the clock was last read so long ago that `refresh()` should be
  /// called.
  func isStale(at cycles: UInt64) -> Bool { cycles &- rate.anchor.cycles > interval }

  /// Reads the clock again.
  @inline(never)
  mutating func refresh() {
    let (cycles, time, anchor) = Self.time(atLeast: 200_000)
    rate.anchor = anchor
    guard cycles > 0, time > 0, cycles < 1 << 62 else { return }
    rate.scale = Rate.scale(cycles, time)
    // 100 ms. At an error of 0.02 % of the rate, a time is at most 20 us off.
    interval = UInt64(100_000_000 * Double(cycles) / Double(time))
  }
}
